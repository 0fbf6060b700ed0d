import { describe, expect, test } from 'vitest';
import { anEvent, aRecovery } from '../../../test/support/events.js';
import { messages, type SendingKind } from '../../../test/support/kind-samples.js';
import { channelKindNames } from '../channel-kinds.js';
import type { AlertEvent } from './alert-event.js';

const sendingKinds = channelKindNames.filter((kind): kind is SendingKind => kind !== 'group');

// the markup of some kinds changes hyphens
const textOf = (message: object) => JSON.stringify(message).replaceAll('\\', '');

describe.each(sendingKinds)('a message of %s', (kind) => {
  const moment = kind === 'webhook' ? '2026-01-01T12:00:00+00:00' : '2026-01-01 12:00:00 UTC';
  const longText = { name: '"'.repeat(100), description: '<'.repeat(5000) };
  const log = { ...anEvent().lastPing, body: Buffer.from('&'.repeat(10_000)) } as AlertEvent['lastPing'];

  test.each<[string, AlertEvent]>([
    ['went down', anEvent()],
    ['came up', aRecovery()],
    ['went down, with texts beyond every limit', anEvent({ check: longText, lastPing: log })],
    ['came up, with texts beyond every limit', aRecovery({ check: longText, lastPing: log })],
  ])('says when a check %s, and links to it', (_situation, event) => {
    const text = textOf(messages[kind](event));
    expect(text).toContain(moment);
    if (kind !== 'webhook') expect(text).toMatch(/\/cloaked\/[0-9a-f]{40}\/\?s=[\w-]{22}/);
  });
});

test.each(sendingKinds.filter((kind) => kind !== 'webhook'))('%s names the zone of a schedule', (kind) => {
  const period = { kind: 'cron', schedule: '0 2 * * *', tz: 'Europe/Riga' } as const;
  const text = textOf(messages[kind](anEvent({ check: { period } })));
  expect(text).toContain('2026-01-01 14:00:00 UTC+02:00 (Europe/Riga)');
});
