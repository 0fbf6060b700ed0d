import { expect, test } from '@jest/globals';
import { describeChannel, type ViewedChannel } from './channel-view.js';

const channel: ViewedChannel = {
  uuid: '9b6b0b1e-0d3c-4a53-9d6a-333333333333',
  kind: 'gotify',
  name: 'ops',
  settings: { url: 'https://x.example', token: 'secret', priorityDown: 8, priorityUp: 5 },
  verifiedAt: null,
  disabledAt: null,
  lastError: null,
  failingSince: null,
  lastNotifiedAt: null,
  lastDurationMs: null,
};

test('shows a channel without its secrets', () => {
  expect(describeChannel(channel)).toEqual({
    id: channel.uuid,
    kind: 'gotify',
    label: 'Gotify',
    name: 'ops',
    settings: { url: 'https://x.example', priorityDown: 8, priorityUp: 5 },
    verified: true,
    disabled: false,
    last_error: '',
    failing_since: null,
    last_notify: null,
    last_duration_ms: null,
  });
});

test('shows how it is doing', () => {
  const at = Date.parse('2026-01-01T12:00:00Z') * 1000;
  const told = { disabledAt: at, lastError: 'no', failingSince: at, lastNotifiedAt: at, lastDurationMs: 12 };
  expect(describeChannel({ ...channel, ...told })).toMatchObject({
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
  expect(describeChannel({ ...channel, kind: 'email', settings: {}, verifiedAt }).verified).toBe(verified);
});

test('shows nothing of the settings of a kind that is no more', () => {
  expect(describeChannel({ ...channel, kind: 'hipchat' })).toMatchObject({ label: 'hipchat', settings: {} });
});
