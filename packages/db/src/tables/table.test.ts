import { describe, expect, test } from 'vitest';
import { column, defineTable } from '../index.js';
import { columnName } from './columns.js';

describe('the name of a column', () => {
  test.each([
    ['id', 'id'],
    ['spaceId', 'space_id'],
    ['sha256Fingerprint', 'sha256_fingerprint'],
    ['isCA', 'is_c_a'],
  ])('%s → %s', (property, name) => {
    expect(columnName(property)).toBe(name);
  });
});

describe('the name of an index', () => {
  const longTable = 't'.repeat(40);
  const define = (length: number, name?: string) =>
    defineTable<Record<string, string>>(longTable, {
      columns: { ['c'.repeat(length)]: column.text() },
      indexes: [{ columns: ['c'.repeat(length)], ...(name !== undefined && { name }) }],
    });

  test('may have 63 characters', () => {
    expect(define(63 - 'ix__'.length - longTable.length).name).toBe(longTable);
  });

  test('is rejected at 64, unless another name is given', () => {
    expect(() => define(64 - 'ix__'.length - longTable.length)).toThrow(/only 63 characters/);
    expect(define(64, 'ix_short').name).toBe(longTable);
  });
});
