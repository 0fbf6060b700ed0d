import { InvalidInput } from '@certloop/contracts';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { parseInput } from './input-faults.js';

function refusalOf(schema: z.ZodType, value: unknown): InvalidInput {
  try {
    parseInput(schema, value, 'body');
  } catch (error) {
    if (error instanceof InvalidInput) return error;
    throw error;
  }
  throw new Error('it was taken');
}

test.each<[string, z.ZodType, unknown, string]>([
  ['members of a list', z.array(z.string()), Array.from({ length: 1000 }, () => 1), '[99]'],
  [
    'members that are not known',
    z.strictObject({}),
    Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`k${index}`, 1])),
    'k99',
  ],
])('of many faulty %s the first 100 are reported', (_, schema, value, last) => {
  const { fields, message } = refusalOf(schema, value);
  expect(fields).toHaveLength(100);
  expect(fields.at(-1)?.path).toBe(last);
  expect(message.length).toBeLessThan(10_000);
});
