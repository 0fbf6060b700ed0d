import { cpuMsOf, excessMs } from '@certloop/contracts/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type PingFilter, signalOfMail } from '../signal.js';
import { firstListFound } from './keyword-search.js';

test('finds the list that a search for each keyword finds', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'ä'), minLength: 1, maxLength: 5 });
  const lists = fc.array(fc.array(word, { maxLength: 5 }), { minLength: 3, maxLength: 3 });
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'ä', ' '), maxLength: 12 });
  // many blanks make the text long enough for the search in one pass
  const padding = fc.constantFrom('', ' '.repeat(100_001));
  fc.assert(
    fc.property(lists, text, padding, (keywords, words, blanks) => {
      const whole = `${words}${blanks}`;
      const found = keywords.findIndex((list) => list.some((keyword) => whole.includes(keyword)));
      expect(firstListFound(whole, keywords)).toBe(found < 0 ? undefined : found);
    }),
    { numRuns: 2000 },
  );
});

describe('keywords of the greatest length in the longest mail', () => {
  const text = 'a'.repeat(1_000_000);
  test.each([
    [
      'many that nearly match',
      Array.from({ length: 50 }, (_, n) => `a${String.fromCharCode(98 + (n % 24))}b`),
    ],
    ['one that nearly matches', [`${'a'.repeat(99)}b${'a'.repeat(99)}`]],
    ['of one letter', Array.from({ length: 100 }, (_, n) => String.fromCharCode(98 + n))],
    [
      'of 200 letters, all different',
      [Array.from({ length: 200 }, (_, n) => String.fromCharCode(0x400 + n)).join('')],
    ],
  ])('%s: below 50 ms of CPU', async (_situation, words) => {
    const keywords = words.join(',').slice(0, 200);
    const filter: PingFilter = {
      methods: '',
      manualResume: false,
      storedStatus: 'up',
      startKeywords: keywords,
      successKeywords: keywords,
      failureKeywords: keywords,
      filterHttpBody: false,
      filterSubject: true,
      filterBody: true,
      filterDefaultFail: false,
    };
    const search = () => expect(signalOfMail({ subject: '', texts: [text, text] }, filter)).toBe('ign');
    expect(await excessMs(50, () => cpuMsOf(search))).toBeUndefined();
  });
});
