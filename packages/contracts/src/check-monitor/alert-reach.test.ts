import { expect, test } from '@jest/globals';
import { measureAlertReach } from './alert-reach.js';

const well = { id: 'a', name: 'Phone', kind: 'ntfy' };
const failing = { id: 'b', name: 'Hook', kind: 'webhook', failing_since: '2026-01-01T12:00:00+00:00' };
const off = { ...failing, id: 'c', disabled_at: '2026-01-01T12:00:00+00:00' };
const unable = { ...failing, id: 'd', kind: 'email', cannot_send: 'Email not verified' };
const checks = ['', 'a', 'c', 'b,c', 'd'].map((channels) => ({ channels }));

test.each([
  [
    'no integration',
    [],
    { checksWithoutIntegration: 5, integrations: 0, switchedOff: 0, unable: 0, failing: 0 },
  ],
  [
    'one that works',
    [well],
    { checksWithoutIntegration: 4, integrations: 1, switchedOff: 0, unable: 0, failing: 0 },
  ],
  [
    'one that works, one that fails, one that is switched off, one that cannot send',
    [well, failing, off, unable],
    { checksWithoutIntegration: 3, integrations: 4, switchedOff: 1, unable: 1, failing: 1 },
  ],
])('the reach of alerts with %s', (_situation, integrations, expected) => {
  expect(measureAlertReach(checks, integrations)).toEqual({ checks: 5, ...expected });
});
