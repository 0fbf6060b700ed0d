import { describe, expect, test } from 'vitest';
import { byteMutants, jsonMutants } from './json-mutants.js';

describe('jsonMutants', () => {
  const sample = { identifiers: [{ type: 'dns', value: 'a.test' }], profile: 'x' };
  const mutants = jsonMutants(sample);
  const namesOf = (part: string) => mutants.map(({ name }) => name).filter((name) => name.includes(part));

  test('has each change under a name of its own, and none that changes nothing', () => {
    const names = mutants.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { value } of mutants) expect(value).not.toEqual(sample);
  });

  test.each([
    ['identifiers.0.value = null', { identifiers: [{ type: 'dns', value: null }], profile: 'x' }],
    ['identifiers.0.value is missing', { identifiers: [{ type: 'dns' }], profile: 'x' }],
    ['identifiers.0 is missing', { identifiers: [], profile: 'x' }],
    ['profile = []', { identifiers: sample.identifiers, profile: [] }],
  ])('has %s', (name, value) => {
    expect(mutants.find((mutant) => mutant.name === name)?.value).toEqual(value);
  });

  test('sends __proto__ as a member', () => {
    expect(namesOf('__proto__').length).toBeGreaterThan(0);
    const added = mutants.find(({ name }) => name === ' has "__proto__"')?.value;
    expect(JSON.stringify(added)).toContain('"__proto__":{"x":1}');
  });
});

test('byteMutants flips a bit of each byte, and ends before each', () => {
  expect(byteMutants(Buffer.of(1, 2)).map(({ value }) => [...value])).toEqual([[0, 2], [], [1, 0], [1]]);
});
