import { describe, expect, test } from '@jest/globals';
import { parseBounce, reportOfStatus } from './bounce.js';

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

describe('a mail that came back', () => {
  test.each([
    ['a notification', mail(notification('n.1@b.example', '5.1.1')), 'n.1', '5.1.1'],
    ['bare line feeds', mail(notification('n.1@b.example', '5.1.1'), '\n'), 'n.1', '5.1.1'],
    ['a name before the address', mail(notification('"A @ B" <n.1@b.example>', '4.2.2')), 'n.1', '4.2.2'],
    ['a folded address', mail(notification('\r\n <n.1@b.example>', '4.2.2')), 'n.1', '4.2.2'],
    ['words after the status', mail(notification('n.1@b.example', '5.0.0 (gone)')), 'n.1', '5.0.0'],
    ['no report', mail(['To: n.1@b.example', 'Status: 5.1.1', '', 'out of office']), 'n.1', ''],
    ['nothing', Buffer.alloc(0), '', ''],
    ['no text', Buffer.from([0, 255, 13, 10, 13, 10, 200]), '', ''],
  ])('%s', (_situation, source, mailbox, status) => {
    expect(parseBounce(source)).toEqual({ mailbox, status });
  });
});

test.each([
  ['5.1.1', { error: 'Delivery failed (SMTP status code: 5.1.1)', isPermanent: true }],
  ['5.4.4', { error: 'Delivery failed (SMTP status code: 5.4.4)', isPermanent: false }],
  ['4.2.2', { error: 'Delivery failed (SMTP status code: 4.2.2)', isPermanent: false }],
  ['2.0.0', undefined],
  ['', undefined],
])('status %p', (status, report) => {
  expect(reportOfStatus(status)).toEqual(report);
});
