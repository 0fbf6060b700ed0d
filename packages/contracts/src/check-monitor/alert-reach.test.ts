import { expect, test } from 'vitest';
import { measureAlertReach } from './alert-reach.js';

const well = { id: 'a', name: 'Phone', kind: 'ntfy', last_delivered_at: '2026-01-01T11:00:00+00:00' };
const failing = { id: 'b', name: 'Hook', kind: 'webhook', failing_since: '2026-01-01T12:00:00+00:00' };
const off = { ...failing, id: 'c', disabled_at: '2026-01-01T12:00:00+00:00' };
const unable = { ...failing, id: 'd', kind: 'email', cannot_send: 'Email not verified' };
const none = { switchedOff: 0, unable: 0, failing: 0 };
const checks = ['', 'a', 'c', 'b,c', 'd'].map((channels) => ({ channels }));

test.each([
  ['no integration', [], { checksWithoutIntegration: 5, integrations: 0, canSend: 0, ...none }],
  [
    'one that works',
    [well],
    {
      checksWithoutIntegration: 4,
      integrations: 1,
      canSend: 1,
      ...none,
      lastDeliveredAt: '2026-01-01T11:00:00+00:00',
    },
  ],
  [
    'one that works, one that fails, one that is switched off, one that cannot send',
    [well, failing, off, unable],
    {
      checksWithoutIntegration: 3,
      integrations: 4,
      ...{ canSend: 2, switchedOff: 1, unable: 1, failing: 1 },
      lastDeliveredAt: '2026-01-01T11:00:00+00:00',
    },
  ],
])('the reach of alerts with %s', (_situation, integrations, expected) => {
  expect(measureAlertReach(checks, integrations)).toEqual({ checks: 5, ...expected });
});

test('counts checks of one assignment together, and none of CertLoop itself', () => {
  const counted = [
    { channels: 'a', count: 3 },
    { channels: '', count: 2 },
    { channels: '', tags: 'x certloop-internal' },
  ];
  expect(measureAlertReach(counted, [well])).toMatchObject({ checks: 5, checksWithoutIntegration: 2 });
});
