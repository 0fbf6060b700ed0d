import { expect, test } from 'vitest';
import { noticeFault } from './notice-fault.js';

const now = new Date('2026-03-01T12:00:00Z');
const recent = new Date('2026-03-01T11:00:00Z');
const old = new Date('2026-03-01T10:59:59Z');

test.each([
  ['no notice that waits', null, null, null, undefined],
  ['notices that have waited for an hour', recent, recent, null, undefined],
  [
    'a mail that has waited for longer',
    old,
    null,
    null,
    /^The oldest notice by mail has waited since .*10:59/,
  ],
  ['a webhook that has waited for longer', recent, old, null, /^The oldest notice by webhook /],
  ['a webhook that is switched off', null, null, old, /^The webhook was switched off at .*restart/],
])('judges %s', (_situation, mail, webhook, disabledAt, fault) => {
  const waiting = [
    { destination: 'mail', oldest: mail },
    { destination: 'webhook', oldest: webhook },
  ] as const;
  const found = noticeFault({ waiting, disabledAt }, now);
  if (fault === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(fault);
});
