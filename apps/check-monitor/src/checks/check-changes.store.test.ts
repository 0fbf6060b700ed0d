import { describe, expect, test } from '@jest/globals';
import { createCheckChanges } from './check-changes.store.js';

describe('changes of checks', () => {
  test('are returned from a position on', () => {
    const changes = createCheckChanges();
    changes.note('a');
    const position = changes.position();
    changes.note('b', true);
    changes.note('c');
    const visited: unknown[] = [];
    expect(changes.visitSince(position, (...note) => visited.push(note))).toBe(true);
    expect(visited).toEqual([
      ['b', true],
      ['c', false],
    ]);
  });

  test('reports when changes were dropped', () => {
    const changes = createCheckChanges();
    const position = changes.position();
    for (let count = 0; count < 16_384; count++) changes.note('a');
    expect(changes.visitSince(position, () => undefined)).toBe(true);
    changes.note('a');
    expect(changes.visitSince(position, () => undefined)).toBe(false);
  });
});
