import { cpuMsOf, excessMs } from '@certloop/contracts/testing';
import { expect, test } from 'vitest';
import { type MailWords, mailWords } from './mail-words.js';

/** CPU of the slowest step of reading a mail, in milliseconds. */
function maxStepMs(source: Buffer): number {
  const words = mailWords(source);
  const steps = words.readAhead()[Symbol.iterator]();
  let maxMs = 0;
  for (let isDone = false; !isDone; ) {
    const cost = cpuMsOf(() => {
      isDone = steps.next().done === true;
    });
    maxMs = Math.max(maxMs, cost);
  }
  return Math.max(
    maxMs,
    cpuMsOf(() => [words.subject, words.texts]),
  );
}

const part = `--b\r\n${'a: b\r\n'.repeat(8_000)}\r\n\r\n`;
const boundaries = ['b', 'bb', 'bbb', 'bbbb', 'bbbbb', 'bbbbbb'];
const nested = boundaries.map(
  (boundary) => `Content-Type: multipart/mixed; boundary=${boundary}\r\n\r\n--${boundary}\r\n`,
);
const html = (piece: string) => `Content-Type: text/html\r\n\r\n${piece.repeat(1e6 / piece.length)}`;

test.each([
  ['200 parts with long headers', `Content-Type: multipart/mixed; boundary=b\r\n\r\n${part.repeat(200)}`],
  ['6 multiparts within each other', `${nested.join('')}\r\n${'--bbbbbbx\r\n'.repeat(60_000)}`],
  ['333,000 tags', html('<a>')],
  ['143,000 tags with a value each', html('<a b=c>')],
  ['a tag with 500,000 values', `Content-Type: text/html\r\n\r\n<a${'=b'.repeat(5e5)}`],
  ['a million references', html('&')],
  ['references between tags', html('<a>&lt; ')],
  ['500,000 words', html('a ')],
  ['styles', html('<style></style>')],
])('a mail of %s: each step below 50 ms of CPU', async (_name, text) => {
  const source = Buffer.from(`Subject: x\r\n${text}`);
  expect(await excessMs(50, () => maxStepMs(source))).toBeUndefined();
});

test('read ahead, the texts are those that are read at once', () => {
  const pieces = [
    '<p>a &amp; b</p> ',
    'x\n',
    `<i title="${'y'.repeat(70_000)}">z</i>`,
    `&lt;${' '.repeat(70_000)}w`,
  ];
  const source = Buffer.from(`Content-Type: text/html\r\n\r\n${pieces.join('').repeat(5)}`);
  const ahead: MailWords = mailWords(source);
  for (const _step of ahead.readAhead());
  expect(ahead.texts).toEqual(['a & b x z< wa & b x z< wa & b x z< wa & b x z< wa & b x z< w']);
  expect(mailWords(source).texts).toEqual(ahead.texts);
});
