import { cpuMsOf, excessMs } from '@certloop/contracts/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stripWhitespace } from '../../python-whitespace.js';

// U+FEFF is no white space in Python, and NEL and the separators are
const unit = fc.constantFrom(' ', '\t', '\n', '\u001c', '\u0085', '\u3000', '\ufeff', 'a', '\u{1f600}');

test('removes white space at both ends and nothing else', () => {
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 12 }), (text) => {
      const units = [...text];
      const isWord = (character: string) => character === 'a' || (character.codePointAt(0) ?? 0) >= 0xfeff;
      const words = units.slice(units.findIndex(isWord), units.findLastIndex(isWord) + 1).join('');
      expect(stripWhitespace(text)).toBe(units.some(isWord) ? words : '');
    }),
  );
});

test.each(['', 'x'])('takes time in proportion to a run of blanks before %j', async (end) => {
  const strip = () =>
    expect(stripWhitespace(`x${' '.repeat(1_000_000)}${end}`)).toHaveLength(end === '' ? 1 : 1_000_002);
  expect(await excessMs(50, () => cpuMsOf(strip))).toBeUndefined();
});
