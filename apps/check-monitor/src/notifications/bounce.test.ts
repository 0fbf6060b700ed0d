import { cpuMsOf, excessMs } from '@certloop/contracts/testing';
import { describe, expect, test } from 'vitest';
import { bounceMailbox, parseDeliveryStatus, reportOfStatus } from './bounce.js';

const mail = (lines: readonly string[], end = '\r\n') => Buffer.from(lines.join(end));
const notification = (to: string, status: string) => [
  'From: MAILER-DAEMON@mx.example.org',
  `To: ${to}`,
  'Content-Type: multipart/report; report-type=delivery-status; boundary=x',
  '',
  '--x',
  'Content-Type: text/plain',
  '',
  'Status: not this one',
  '',
  '--x',
  'Content-Type: message/delivery-status',
  '',
  'Reporting-MTA: dns; mx.example.org',
  '',
  'Final-Recipient: rfc822; ada@example.org',
  'Action: failed',
  `Status: ${status}`,
  'Diagnostic-Code: smtp; 550',
  '  no such user',
  '',
  '--x--',
];

describe('a bounced mail', () => {
  const answer = '550 no such user';
  test.each([
    ['a notification', mail(notification('n.1@b.example', '5.1.1')), 'n.1', '5.1.1', answer],
    ['bare line feeds', mail(notification('n.1@b.example', '5.1.1'), '\n'), 'n.1', '5.1.1', answer],
    [
      'a name before the address',
      mail(notification('"A @ B" <n.1@b.example>', '4.2.2')),
      'n.1',
      '4.2.2',
      answer,
    ],
    ['a folded address', mail(notification('\r\n <n.1@b.example>', '4.2.2')), 'n.1', '4.2.2', answer],
    ['words after the status', mail(notification('n.1@b.example', '5.0.0 (gone)')), 'n.1', '5.0.0', answer],
    [
      'a mail that is not a report',
      mail(['To: n.1@b.example', 'Status: 5.1.1', '', 'out of office']),
      'n.1',
      '',
      '',
    ],
    ['nothing', Buffer.alloc(0), '', '', ''],
    ['octets that are not text', Buffer.from([0, 255, 13, 10, 13, 10, 200]), '', '', ''],
  ])('%s', (_situation, source, mailbox, status, diagnostic) => {
    expect(bounceMailbox(source)).toBe(mailbox);
    expect(parseDeliveryStatus(source)).toEqual({ status, diagnostic });
  });

  test.each([
    ['fields', 'a:\n'],
    ['line ends', '\n'],
    ['folded lines', `To: x\n${' y\n'.repeat(100)}`],
    ['one line', 'To: <'],
  ])(
    'shows its mailbox within 0.2 calibrated seconds, also with millions of %s',
    async (_situation, piece) => {
      const source = Buffer.from(piece.repeat(2_621_440 / piece.length));
      expect(await excessMs(200, () => cpuMsOf(() => bounceMailbox(source)))).toBeUndefined();
    },
  );
});

test.each([
  ['5.1.1', '', { error: 'Delivery failed (SMTP status code: 5.1.1)', isPermanent: true }],
  ['5.4.4', '', { error: 'Delivery failed (SMTP status code: 5.4.4)', isPermanent: false }],
  ['4.2.2', '', { error: 'Delivery failed (SMTP status code: 4.2.2)', isPermanent: false }],
  [
    '4.0.0',
    '451 4.0.0 No usable MXs',
    { error: 'Delivery failed (451 4.0.0 No usable MXs)', isPermanent: false },
  ],
  [
    '5.0.0',
    'é\0'.repeat(200),
    { error: `Delivery failed (${'é '.repeat(200)}`.slice(0, 200), isPermanent: true },
  ],
  ['2.0.0', '250 OK', undefined],
  ['', '', undefined],
])('status %p with %p', (status, diagnostic, report) => {
  expect(reportOfStatus({ status, diagnostic })).toEqual(report);
});
