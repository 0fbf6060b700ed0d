import { describe, expect, test } from '@jest/globals';
import { createRecent } from './recent.js';

describe('recent', () => {
  test('holds as many entries as its limit when they are used in rounds', () => {
    const recent = createRecent<number>(100);
    const keys = Array.from({ length: 100 }, (_, index) => `key ${index}`);
    keys.forEach((key, index) => {
      recent.put(key, index);
    });
    for (let round = 0; round < 3; round++)
      expect(keys.map((key) => recent.get(key))).not.toContain(undefined);
  });

  test('holds what is used and forgets what is not', () => {
    const recent = createRecent<string>(2);
    recent.put('used', 'a');
    recent.put('unused', 'b');
    for (const key of ['1', '2', '3', '4', '5']) {
      recent.put(key, key);
      expect(recent.get('used')).toBe('a');
    }
    expect(recent.get('unused')).toBeUndefined();
  });

  test('replaces a value', () => {
    const recent = createRecent<string>(1);
    recent.put('key', 'old');
    recent.put('key', 'new');
    expect(recent.get('key')).toBe('new');
  });
});
