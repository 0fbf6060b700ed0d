import { describe, expect, test } from 'vitest';
import { deriveNonceKey, mintNonce, nonceEnd, randomLength } from './nonce.js';

const key = deriveNonceKey({ key: new Uint8Array(32).fill(1) });
const other = deriveNonceKey({ key: new Uint8Array(32).fill(2) });
const made = new Date('2026-03-01T12:00:00.000Z');
const nonce = mintNonce(key, made, new Uint8Array(randomLength).fill(7));
const after = (minutes: number) => new Date(made.getTime() + minutes * 60_000);

test('a nonce is 32 octets in base64url and another one for other random octets', () => {
  expect(nonce).toMatch(/^[\w-]{43}$/);
  expect(mintNonce(key, made, new Uint8Array(randomLength).fill(8))).not.toBe(nonce);
});

describe('nonceEnd', () => {
  test.each<[string, readonly Uint8Array[], string, Date]>([
    ['at its moment', [key], nonce, made],
    ['just before its end', [key], nonce, new Date(after(60).getTime() - 1)],
    ['by a process whose clock is 5 minutes behind', [key], nonce, after(-5)],
    ['when the key is no longer the active one', [other, key], nonce, made],
  ])('accepts a nonce %s', (_, keys, text, now) => {
    expect(nonceEnd(keys, text, now)).toEqual(after(60));
  });

  test.each<[string, readonly Uint8Array[], string, Date]>([
    ['an hour later', [key], nonce, after(60)],
    ['of a clock far ahead', [key], nonce, after(-6)],
    ['of another key', [other], nonce, made],
    ['without a key', [], nonce, made],
    ['that is empty', [key], '', made],
    ['that is cut', [key], nonce.slice(0, -1), made],
    ['with another spelling of its last character', [key], respelled(nonce), made],
    ['that is longer', [key], `${nonce}A`, made],
  ])('refuses a nonce %s', (_, keys, text, now) => {
    expect(nonceEnd(keys, text, now)).toBeUndefined();
  });

  test('refuses a nonce in which any octet is altered', () => {
    for (let place = 0; place < 32; place += 1) {
      const octets = Buffer.from(nonce, 'base64url');
      octets[place] = (octets[place] ?? 0) ^ 1;
      expect(nonceEnd([key], octets.toString('base64url'), made)).toBeUndefined();
    }
  });
});

/** The same octets in another text: the last two bits of 43 characters are unused. */
function respelled(text: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const last = alphabet.indexOf(text.at(-1) ?? '');
  return `${text.slice(0, -1)}${alphabet[last ^ 1]}`;
}
