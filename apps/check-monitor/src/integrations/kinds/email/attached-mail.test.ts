import { cpuMsOf, excessMs } from '@certloop/contracts/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { attachableMail } from './attached-mail.js';

const lines = (...given: string[]) => Buffer.from(given.join('\n'));
const attached = (source: Buffer) => {
  const { source: made, omitted } = attachableMail(source);
  return { text: made.toString('latin1'), omitted };
};

describe('a mail to be attached', () => {
  test('keeps its header, its parts and their names', () => {
    const pdf = ['--b', 'Content-Type: application/pdf; name="ž.pdf"', 'Content-Transfer-Encoding: base64'];
    const { text, omitted } = attached(
      lines(
        ...[
          'Subject: grün',
          'To: a@b.example',
          ' , c@d.example',
          'Content-Type: multipart/mixed; boundary=b',
          '',
        ],
        ...['--b', 'Content-Type: text/plain; charset=iso-8859-1', '', 'all well'],
        ...[...pdf, 'Content-Disposition: attachment; filename=a.pdf', '', 'AAAA', '--b--'],
      ),
    );
    expect(omitted).toEqual([]);
    expect(text.split('\r\n')).toEqual([
      'Subject: =?UTF-8?Q?gr=C3=BCn?=',
      'To: a@b.example , c@d.example',
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary="=_1_"',
      '',
      '--=_1_',
      'Content-Type: text/plain; charset=iso-8859-1',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      'all well',
      '--=_1_',
      "Content-Type: application/pdf; name*0*=utf-8''%C5%BE.pdf",
      'Content-Transfer-Encoding: base64',
      'Content-Disposition: attachment; filename=a.pdf',
      '',
      'AAAA',
      '--=_1_--',
      '',
    ]);
  });

  test('keeps small parts after a large one that does not fit', () => {
    const part = (type: string, content: string) => ['--b', `Content-Type: ${type}`, '', content];
    const { text, omitted } = attached(
      lines(
        ...['Content-Type: multipart/mixed; boundary=b', ''],
        ...part('image/png', 'A'.repeat(2_000_000)),
        ...part('text/plain', 'first'),
        ...[...part('text/x-log', 'second'), '--b--'],
      ),
    );
    expect(omitted).toEqual(['image/png of 2.0 MB']);
    expect(text).toMatch(/first.*second/s);
  });

  test('is a text without a header, and empty without content', () => {
    expect(attached(Buffer.from('hello world')).text).toMatch(/\r\n\r\nhello world$/);
    expect(attached(Buffer.alloc(0)).text).toMatch(/\r\n\r\n$/);
  });

  test('has no line that is too long for mail, and no control character', () => {
    const { text, omitted } = attached(
      lines(`X-Long: ${'y'.repeat(2000)}`, 'X-Odd: a\0b\x1bc', 'Subject: whole', '', `${'z'.repeat(5000)}\0`),
    );
    expect(omitted).toEqual(['long header fields']);
    expect(text).toContain('X-Odd: abc\r\nSubject: whole\r\n');
    expect(text).toMatch(/^(?:[\t -~]{0,76}\r\n)*[\t -~]{0,76}$/);
  });

  test.each([
    ['text', lines('Subject: s', '', 'x y\n'.repeat(2e6))],
    ['text in another script', lines('Subject: s', '', 'ž'.repeat(4e6))],
    ['parts', lines('Content-Type: multipart/mixed; boundary=b', '', '--b\n\nx\n'.repeat(1e6))],
    ['parts within parts', Buffer.from('Content-Type: multipart/mixed; boundary=b\n\n--b\n'.repeat(2e5))],
    ['fields', Buffer.from('a: b\n'.repeat(2e6))],
    ['parameters', lines(`Content-Type: text/plain${';a=b'.repeat(2e6)}`, '', 'x')],
  ])('of 8 MB of %s is cut to one megabyte within 1.5 calibrated seconds', async (_situation, source) => {
    const cut = () => expect(attachableMail(source).source.length).toBeLessThan(1_050_000);
    expect(await excessMs(1500, () => cpuMsOf(cut))).toBeUndefined();
  });

  test('is a valid message for any mail', () => {
    const piece = fc.constantFrom(
      ...['Subject: ', 'Content-Type: ', 'multipart/mixed', 'text/plain', 'message/rfc822', '; boundary=b'],
      ...[
        '; charset=',
        'klingon',
        '*0*=',
        "=utf-8''%",
        '__proto__',
        '=?utf-8?Q?',
        '?=',
        '=C3',
        '--b',
        '--b--',
      ],
      ...['\n', '\r\n\r\n', '\0', 'ü', '😀', ' ', '"', '\\', ';', 'x'.repeat(100), 'base64', 'From '],
      ...['Content-Transfer-Encoding: ', 'quoted-printable', 'Content-Disposition: attachment'],
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 60 }),
        fc.constantFrom('utf8', 'latin1'),
        (pieces, encoding) => {
          const { text } = attached(Buffer.from(pieces.join(''), encoding));
          expect(text).toMatch(/^(?:[\t -~]{0,998}\r\n)*[\t -~]{0,998}$/);
        },
      ),
      { numRuns: 500 },
    );
  });
});
