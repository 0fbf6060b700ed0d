import { expect, test } from 'vitest';
import { reportOfCallback } from './delivery-report.js';

test.each([
  ['nothing', '', undefined],
  ['an error', 'error=Gone', { error: 'Gone', isPermanent: false }],
  ['an error for good', 'error=Gone&mark_disabled=1', { error: 'Gone', isPermanent: true }],
  ['an empty mark', 'error=Gone&mark_disabled=', { error: 'Gone', isPermanent: false }],
  ['a mark without an error', 'mark_disabled=1', undefined],
  ['an empty error', 'error=', undefined],
  ['a long error', `error=${'é'.repeat(201)}`, { error: 'é'.repeat(200), isPermanent: false }],
  ['null characters', 'error=a%00b', { error: 'ab', isPermanent: false }],
  [
    'a failed message',
    'MessageStatus=failed',
    { error: 'Delivery failed (status=failed).', isPermanent: false },
  ],
  [
    'an undelivered message',
    'MessageStatus=undelivered',
    { error: 'Delivery failed (status=undelivered).', isPermanent: false },
  ],
  ['a message on its way', 'MessageStatus=sent', undefined],
  ['a failed call', 'CallStatus=failed', { error: 'Delivery failed (status=failed).', isPermanent: false }],
  ['a call that was answered', 'CallStatus=completed', undefined],
])('%s', (_situation, body, report) => {
  expect(reportOfCallback(new URLSearchParams(body))).toEqual(report);
});
