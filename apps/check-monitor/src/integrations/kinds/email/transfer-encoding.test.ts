import { expect, test } from 'vitest';
import { encodeBase64, encodeQuotedPrintable } from './transfer-encoding.js';

test.each([
  ['plain text', 'all well', 'all well'],
  ['line ends of all kinds', 'a\nb\r\nc\rd', 'a\r\nb\r\nc=0Dd'],
  ['an equals sign and other bytes', 'a=b ünder the bridge', 'a=3Db =C3=BCnder the bridge'],
  ['blanks at the end of a line', 'a \nb\t', 'a=20\r\nb=09'],
  ['75 characters', 'x'.repeat(75), 'x'.repeat(75)],
  ['76 characters', 'x'.repeat(76), `${'x'.repeat(75)}=\r\nx`],
  [
    'a byte that is not divided',
    `${'x'.repeat(73)}= and some more`,
    `${'x'.repeat(73)}=\r\n=3D and some more`,
  ],
  ['nothing', '', ''],
])('quoted-printable of %s', (_situation, text, encoded) => {
  expect(encodeQuotedPrintable(Buffer.from(text))?.toString()).toBe(encoded);
});

test('base64 replaces quoted-printable if much of the text is not ASCII', () => {
  expect(encodeQuotedPrintable(Buffer.from('ünö'))).toBeUndefined();
});

test('base64 has lines of 76 characters', () => {
  const lines = encodeBase64(Buffer.alloc(57 * 2 + 3))
    .toString()
    .split('\r\n');
  expect(lines.map(({ length }) => length)).toEqual([76, 76, 4]);
  expect(encodeBase64(Buffer.alloc(57)).toString()).toHaveLength(76);
});
