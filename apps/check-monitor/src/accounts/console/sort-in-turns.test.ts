import { expect, test } from 'vitest';
import { sortInTurns } from './sort-in-turns.service.js';

test.each([0, 1, 4_000, 4_001, 13_579])(
  'sorts %i items as toSorted does, equal ones in their order',
  async (count) => {
    const items = Array.from({ length: count }, (_, place) => ({ place, key: (place * 7919) % 1000 }));
    const compare = (one: { key: number }, other: { key: number }) => one.key - other.key;
    expect(await sortInTurns(items, compare)).toEqual(items.toSorted(compare));
  },
);
