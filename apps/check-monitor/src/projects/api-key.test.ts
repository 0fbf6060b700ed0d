import { describe, expect, test } from 'vitest';
import { composeKey, composePingKey, hashKey } from './api-key.js';

const first = () => 0;

describe('keys', () => {
  test.each([
    ['a read-write key', composeKey('read-write', first), `hcw_${'a'.repeat(28)}`],
    ['a read-only key', composeKey('read-only', first), `hcr_${'a'.repeat(28)}`],
    ['a ping key', composePingKey(first), 'a'.repeat(22)],
    ['the last letter of the alphabet', composePingKey((bound) => bound - 1), '9'.repeat(22)],
  ])('%s', (_situation, key, form) => {
    expect(key).toBe(form);
  });

  test('the hash shows 8 characters and depends on the secret', () => {
    const key = 'hcw_AbCdEfGh0123456789abcdefghij';
    expect(hashKey(key, 'one')).toMatch(/^AbCdEfGh\.[0-9a-f]{64}$/);
    expect(hashKey(key, 'one')).not.toBe(hashKey(key, 'two'));
  });
});
