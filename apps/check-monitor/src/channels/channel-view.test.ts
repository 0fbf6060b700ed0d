import { expect, test } from 'vitest';
import { describeChannel, listedWithState, type ViewedChannel } from './channel-view.js';

const channel: ViewedChannel = {
  uuid: '9b6b0b1e-0d3c-4a53-9d6a-333333333333',
  kind: 'gotify',
  name: 'ops',
  settings: { url: 'https://x.example', token: 'secret', priorityDown: 8, priorityUp: 5 },
  verifiedAt: null,
  disabledAt: null,
  lastError: null,
  failingSince: null,
  heldUntil: null,
  lastNotifiedAt: null,
  lastDeliveredAt: null,
  lastDurationMs: null,
};

const at = Date.parse('2026-01-01T12:00:00Z') * 1000;

test('shows a channel without its secrets', () => {
  expect(describeChannel(channel, at)).toEqual({
    id: channel.uuid,
    kind: 'gotify',
    label: 'Gotify',
    name: 'ops',
    settings: { url: 'https://x.example', priorityDown: 8, priorityUp: 5 },
    verified: true,
    disabled: false,
    last_error: '',
    failing_since: null,
    held_until: null,
    last_notify: null,
    last_duration_ms: null,
    last_delivered_at: null,
  });
});

test('shows how it is doing', () => {
  const state = { disabledAt: at, lastError: 'no', failingSince: at, lastNotifiedAt: at, lastDurationMs: 12 };
  expect(describeChannel({ ...channel, ...state }, at)).toMatchObject({
    disabled: true,
    last_error: 'no',
    failing_since: '2026-01-01T12:00:00+00:00',
    last_notify: '2026-01-01T12:00:00+00:00',
    last_duration_ms: 12,
  });
});

test.each([
  ['a mail address that was not asked', null, false],
  ['a mail address that agreed', 1, true],
])('%s: verified %p', (_situation, verifiedAt, verified) => {
  expect(describeChannel({ ...channel, kind: 'email', settings: {}, verifiedAt }, at).verified).toBe(
    verified,
  );
});

test('hides the settings of a kind that no longer exists', () => {
  expect(describeChannel({ ...channel, kind: 'hipchat' }, at)).toMatchObject({
    label: 'hipchat',
    settings: {},
  });
});

test.each([
  ['is held back', 60, null, '2026-01-01T12:01:00+00:00'],
  ['was held back until now', 0, null, undefined],
  ['is held back and switched off', 60, at, undefined],
])('a channel that %s: paused until %p s from now, switched off at %p', (_, seconds, disabledAt, shown) => {
  const held = { ...channel, heldUntil: at + seconds * 1_000_000, disabledAt };
  expect(listedWithState(held, at).held_until).toBe(shown);
  expect(describeChannel(held, at).held_until).toBe(shown ?? null);
});
