import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nextPlace, type PingRing, spareSlots } from './ping-ring.js';

const empty: PingRing = { firstSlot: 1, lastSlot: 0, slotCount: 0 };

/** Numbers of the pings by slot after pings under these limits, one for each ping. */
function filled(limits: readonly number[], begin = empty) {
  const slots = new Map<number, number>();
  let ring = begin;
  for (const [place, limit] of limits.entries()) {
    const next = nextPlace(ring, limit);
    slots.set(next.lastSlot, place + 1);
    if (next.slotCount < ring.slotCount)
      for (const slot of slots.keys()) if (slot >= next.firstSlot + next.slotCount) slots.delete(slot);
    ring = next;
  }
  return { slots, ring };
}

const times = (count: number, limit: number) => Array.from({ length: count }, () => limit);

describe('nextPlace', () => {
  test.each([
    ['fills slot after slot', times(3, 4), [1, 2, 3]],
    ['takes the slot of the ping that it pushes out', times(6, 4), [5, 6, 3, 4]],
    ['keeps one ping under a limit of one', times(3, 1), [3]],
    ['grows at the end of the lap', [...times(4, 3), ...times(6, 5)], [9, 10, 6, 7, 8]],
    ['grows before the first lap is over', [...times(2, 3), ...times(4, 5)], [6, 2, 3, 4, 5]],
    ['shrinks when the latest pings fill the first slots', [...times(4, 4), ...times(3, 2)], [7, 6]],
    ['shrinks within the first lap', [...times(2, 4), 2], [3, 2]],
  ])('%s', (_behaviour, limits, expected) => {
    const { slots, ring } = filled(limits);
    const inOrder = Array.from({ length: ring.slotCount }, (_, place) => slots.get(ring.firstSlot + place));
    expect(inOrder.filter((n) => n !== undefined)).toEqual(expected);
  });

  test('continues after the pings of an earlier version', () => {
    const { slots } = filled([3, 3], { firstSlot: 51, lastSlot: 54, slotCount: 4 });
    expect([...slots]).toEqual([
      [51, 1],
      [52, 2],
    ]);
  });

  test('keeps the latest pings in the order of their slots, for any change of the limit', () => {
    const changes = fc.array(fc.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 30 })), {
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(changes, (phases) => {
        const limits = phases.flatMap(([limit, pings]) => times(pings, limit));
        const { slots, ring } = filled(limits);
        const bySlot = [...slots.keys()].sort((one, other) => one - other);
        const newest = [
          ...bySlot.filter((slot) => slot <= ring.lastSlot).toReversed(),
          ...bySlot.filter((slot) => slot > ring.lastSlot).toReversed(),
        ].map((slot) => slots.get(slot));
        expect(newest).toEqual(newest.map((_, age) => limits.length - age));
        // what was within every limit of the time in which it was there
        const min = Math.min(...limits);
        expect(newest.length).toBeGreaterThanOrEqual(Math.min(min, limits.length));
        expect(newest.length).toBeLessThanOrEqual(Math.max(...limits));
      }),
    );
  });

  test('reaches a new limit within a lap of the old one and of the new one', () => {
    const limit = fc.integer({ min: 1, max: 40 });
    fc.assert(
      fc.property(limit, limit, fc.nat(200), (before, after, pings) => {
        const limits = [...times(pings, before), ...times(before + after, after)];
        const { slots, ring } = filled(limits);
        expect(ring.slotCount).toBe(after);
        expect(slots.size).toBe(Math.min(after, slots.size));
        expect(slots.size).toBe(after);
      }),
    );
  });
});

describe('spareSlots', () => {
  test.each([
    [{ firstSlot: 1, lastSlot: 1, slotCount: 100 }, 31],
    [{ firstSlot: 1, lastSlot: 2, slotCount: 100 }, 30],
    [{ firstSlot: 1, lastSlot: 32, slotCount: 100 }, 0],
    [{ firstSlot: 1, lastSlot: 97, slotCount: 100 }, 3],
    [{ firstSlot: 51, lastSlot: 51, slotCount: 3 }, 2],
    [{ firstSlot: 1, lastSlot: 1, slotCount: 1 }, 0],
  ])('%j: %i', (ring, expected) => {
    expect(spareSlots(ring)).toBe(expected);
  });
});
