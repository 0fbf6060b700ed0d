import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { createBoundedMap } from './bounded-map.js';

describe('a bounded map', () => {
  test('removes the oldest entry and reports it', () => {
    const dropped: number[] = [];
    const map = createBoundedMap<number>({ limit: 2, onDrop: (value) => dropped.push(value) });
    for (const value of [1, 2, 3, 4]) map.insert(String(value), value);
    expect([...map.values()]).toEqual([3, 4]);
    expect(dropped).toEqual([1, 2]);
  });

  test('frees room by deletions', () => {
    const map = createBoundedMap<number>({ limit: 2 });
    map.insert('a', 1);
    map.insert('b', 2);
    expect([map.delete('a'), map.delete('a')]).toEqual([true, false]);
    map.insert('c', 3);
    map.insert('d', 4);
    expect([...map.values()]).toEqual([3, 4]);
    expect(map.get('b')).toBeUndefined();
  });

  test.each([
    ['exactly as heavy as the limit', [4, 3, 3], [4, 3, 3]],
    ['one heavier', [4, 3, 4], [3, 4]],
    ['a heavy one pushes several out', [1, 2, 3, 9], [9]],
    ['one above the limit stays alone', [5, 11], [11]],
    ['after one above the limit', [11, 5], [5]],
  ])('weighs: %s', (_, weights, expected) => {
    const map = createBoundedMap<number>({ limit: 10, weigh: (value) => value });
    for (const [place, weight] of weights.entries()) map.insert(String(place), weight);
    expect([...map.values()]).toEqual(expected);
  });

  test('knows no inherited names', () => {
    expect(createBoundedMap<number>({ limit: 1 }).get('__proto__')).toBeUndefined();
  });

  test('stays at its limit over many times as many entries', () => {
    const map = createBoundedMap<number>({ limit: 100 });
    for (let value = 0; value <= 100_000; value += 1) {
      map.insert(String(value), value);
      if (value % 3 === 0) map.delete(String(value));
    }
    expect(map.size).toBe(100);
  });

  test('uses constant memory for any number of insertions and deletions', () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const heapUsed = () => {
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const map = createBoundedMap<number>({ limit: 1_000 });
    const comeAndGo = (count: number) => {
      for (let value = 0; value < count; value += 1) {
        map.insert(String(value), value);
        map.delete(String(value - 10));
      }
    };
    comeAndGo(1_000);
    const before = heapUsed();
    comeAndGo(400_000);
    expect(heapUsed() - before).toBeLessThan(5_000_000);
  });
});
