import { describe, expect, test } from 'vitest';
import { createCheckChanges } from './check-changes.store.js';

describe('changes of checks', () => {
  test('are returned from a position on', () => {
    const changes = createCheckChanges();
    changes.note('a');
    const position = changes.position();
    changes.note('b', true);
    changes.note('c');
    changes.note('d');
    expect(changes.since(position, (uuid) => uuid !== 'd')).toEqual(new Set(['b', 'c']));
    expect(changes.since(position, () => false)).toEqual(new Set(['b']));
  });

  test('reports when changes were dropped', () => {
    const changes = createCheckChanges();
    const position = changes.position();
    for (let count = 0; count < 16_384; count++) changes.note('a');
    expect(changes.since(position, () => true)).toEqual(new Set(['a']));
    changes.note('a');
    expect(changes.since(position, () => true)).toBeUndefined();
  });
});
