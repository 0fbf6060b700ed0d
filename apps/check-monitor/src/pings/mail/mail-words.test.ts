import { cpuMsOf, excessMs } from '@certloop/contracts/testing';
import { describe, expect, test } from 'vitest';
import { mailWords, maxTextBytes } from './mail-words.js';

const lines = (...given: string[]) => Buffer.from(given.join('\r\n'));
const withBytes = (header: string, bytes: Buffer | readonly number[]) =>
  Buffer.concat([lines(header, '', ''), Buffer.from(bytes)]);
const multipart = (kind: string, ...parts: (readonly string[])[]) =>
  lines(`Content-Type: ${kind}; boundary=b`, '', ...parts.flatMap((part) => ['--b', ...part]), '--b--', '');
const plain = (text: string, ...header: string[]) => ['Content-Type: text/plain', ...header, '', text];
const html = (text: string, ...header: string[]) => ['Content-Type: text/html', ...header, '', text];

// What the email package of Python 3.11 reads from the same mails, but for the rows marked so.
describe('subject of a mail', () => {
  test.each([
    ['a text without a header', lines('hello world'), ''],
    ['nothing', Buffer.alloc(0), ''],
    ['two of them', lines('Subject: first', 'Subject: last', '', 'x'), 'first'],
    ['a folded one', lines('Subject: one', ' two', '\tthree', '', 'x'), 'one two\tthree'],
    ['base64', lines('Subject: =?US-ASCII?B?W1NVQ0NFU1Nd?=', '', 'x'), '[SUCCESS]'],
    ['two encoded words', lines('Subject: =?utf-8?Q?gr=C3=BC?=', ' =?utf-8?Q?n?= x', '', 'x'), 'grün x'],
    ['an encoded word between others', lines('Subject: a =?utf-8?Q?=C3=BC?= b', '', 'x'), 'a ü b'],
    ['bytes of UTF-8', lines('Subject: grün', '', 'x'), 'grün'],
    ['after a line that is not a field', lines('Subject: a', 'no field', 'Subject: b'), 'a'],
    ['a mailbox file', lines('From x@y Mon', 'Subject: whole', '', 'x'), 'whole'],
  ])('of %s', (_situation, source, subject) => {
    expect(mailWords(source).subject).toBe(subject);
  });
});

describe('texts of a mail', () => {
  test.each([
    ['without a header', lines('hello world'), ['hello world']],
    ['of two text parts the first', multipart('multipart/mixed', plain('one'), plain('two')), ['one']],
    ['plain and HTML', multipart('multipart/alternative', plain('P'), html('<b>H</b>TML')), ['P', 'HTML']],
    [
      'not of an attachment',
      multipart('multipart/mixed', plain('no', 'Content-Disposition: attachment'), plain('yes')),
      ['yes'],
    ],
    [
      'not of a report or an attached mail',
      multipart(
        'multipart/report',
        plain('words'),
        ['Content-Type: message/delivery-status', '', 'Status: FAILED'],
        ['Content-Type: message/rfc822', '', 'Content-Type: text/html', '', 'inner'],
      ),
      ['words'],
    ],
    [
      'of a multipart/related its beginning',
      multipart('multipart/related', html('one'), html('two')),
      ['one'],
    ],
    [
      'or what it names as its beginning',
      multipart(
        'multipart/related; start="<2>"',
        html('one', 'Content-ID: <1>'),
        html('two', 'Content-ID: <2>'),
      ),
      ['two'],
    ],
    [
      'a part within a part that does not end',
      multipart('multipart/mixed', [
        'Content-Type: multipart/alternative; boundary=inner',
        '',
        '--inner',
        ...plain('P'),
      ]),
      ['P'],
    ],
    [
      'a mail that breaks off',
      lines('Content-Type: multipart/mixed; boundary=b', '', '--b', '', 'cut'),
      ['cut'],
    ],
    [
      'a boundary within a line',
      multipart('multipart/mixed', ['', 'a --b b', '--bb', 'x']),
      ['a --b b\r\n--bb\r\nx'],
    ],
    [
      'bare line feeds',
      Buffer.from('Content-Type: multipart/mixed; boundary=b\n\n--b\n\none\ntwo\n--b--\n'),
      ['one\ntwo'],
    ],
    ['no boundary', lines('Content-Type: multipart/mixed', '', 'x'), []],
    ['an invalid type', lines('Content-Type: text', '', 'x'), ['x']],
    [
      'lines that flow, as they came',
      lines('Content-Type: text/plain; format=flowed', '', 'back ', 'up'),
      ['back \r\nup'],
    ],
    [
      'quoted-printable',
      lines('Content-Transfer-Encoding: quoted-printable', '', 'gr=c3=BCn=', ' =3D =x =4'),
      ['grün = =x =4'],
    ],
    ['base64', lines('Content-Transfer-Encoding: base64', '', 'Z3LD', 'vG4='), ['grün']],
    [
      'windows-1251',
      withBytes('Content-Type: text/plain; charset=windows-1251', [0xcf, 0xf0, 0xe8]),
      ['При'],
    ],
    [
      'iso-2022-jp',
      withBytes('Content-Type: text/plain; charset=iso-2022-jp', Buffer.from('\x1b$BF|K\\\x1b(B', 'latin1')),
      ['日本'],
    ],
    // Python has � for each of these bytes
    ['without a character set', withBytes('Content-Type: text/plain', Buffer.from('grün')), ['grün']],
    // Python fails here
    ['an unknown character set', lines('Content-Type: text/plain; charset=klingon', '', 'OK'), ['OK']],
  ])('%s', (_situation, source, texts) => {
    expect(mailWords(source).texts).toEqual(texts);
  });

  test('are searched up to a megabyte', () => {
    const source = lines('', 'x'.repeat(maxTextBytes), 'more');
    expect(mailWords(source).texts.map(({ length }) => length)).toEqual([maxTextBytes]);
  });

  test.each([
    [
      'invalid boundaries',
      withBytes('Content-Type: multipart/mixed; boundary=b', Buffer.from('--bX\n'.repeat(1e6))),
    ],
    [
      'parts',
      withBytes('Content-Type: multipart/mixed; boundary=b', Buffer.from('--b\n\tx:\n\n'.repeat(1e6))),
    ],
    ['fields', Buffer.from('a:\n'.repeat(2e6))],
    ['folded lines', Buffer.from(`Subject: x\n${' y\n'.repeat(2e6)}`)],
    ['parts within parts', Buffer.from('Content-Type: multipart/mixed; boundary=b\n\n--b\n'.repeat(1e5))],
    [
      'encoded bytes',
      withBytes('Content-Transfer-Encoding: quoted-printable', Buffer.from('=41'.repeat(2e6))),
    ],
    ['encoded words', Buffer.from(`Subject: ${'=?utf-8?Q?=41?= '.repeat(4e5)}\n\n`)],
  ])('are found within a calibrated second among millions of %s', async (_situation, source) => {
    const find = () => {
      const { subject, texts } = mailWords(source);
      expect(Math.max(subject.length, texts.length)).toBeLessThanOrEqual(10_000);
    };
    expect(await excessMs(1000, () => cpuMsOf(find))).toBeUndefined();
  });
});
