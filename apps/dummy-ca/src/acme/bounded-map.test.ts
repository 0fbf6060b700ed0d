import { describe, expect, test } from '@jest/globals';
import { createBoundedMap } from './bounded-map.js';

describe('a bounded map', () => {
  test('pushes the oldest out and tells of it', () => {
    const dropped: number[] = [];
    const map = createBoundedMap<number>(2, (value) => dropped.push(value));
    for (const value of [1, 2, 3, 4]) map.set(String(value), value);
    expect([...map.values()]).toEqual([3, 4]);
    expect(dropped).toEqual([1, 2]);
  });

  test('makes room by what is deleted', () => {
    const map = createBoundedMap<number>(2);
    map.set('a', 1);
    map.set('b', 2);
    expect([map.delete('a'), map.delete('a')]).toEqual([true, false]);
    map.set('c', 3);
    map.set('d', 4);
    expect([...map.values()]).toEqual([3, 4]);
    expect(map.get('b')).toBeUndefined();
  });

  test('keeps the age of what is set again', () => {
    const map = createBoundedMap<number>(2);
    map.set('a', 1);
    map.set('b', 2);
    map.set('a', 10);
    map.set('c', 3);
    expect([...map.values()]).toEqual([2, 3]);
  });

  test('knows no inherited names', () => {
    expect(createBoundedMap<number>(1).get('__proto__')).toBeUndefined();
  });

  test('stays at its limit over many times as many entries', () => {
    const map = createBoundedMap<number>(100);
    for (let value = 0; value <= 100_000; value += 1) {
      map.set(String(value), value);
      if (value % 3 === 0) map.delete(String(value));
    }
    expect(map.size).toBe(100);
  });
});
