import { describe, expect, test } from 'vitest';
import { type Check, defaultSettings, newCheck } from '../checks/check.js';
import { type AlertFacts, alertStatusOf, describeAlert, isUnheard } from './alert.js';

const addresses = { siteRoot: 'https://monitor.example', pingEndpoint: 'https://monitor.example/ping/' };
const now = 1_767_268_800_000_000;

function aCheck(overrides: Partial<Check> = {}): Check {
  const origin = {
    projectId: 'p',
    uuid: '62e13f6b-a7b9-4926-8d1a-222222222222',
    badgeUuid: 'b',
    createdAt: 0,
  };
  return {
    ...newCheck({ ...defaultSettings, name: 'Backup', tags: ' prod  db' }, origin),
    id: 1,
    ...overrides,
  };
}

const fell = { at: now - 60, oldStatus: 'up', newStatus: 'down', reason: 'timeout' };
const rose = { at: now, oldStatus: 'down', newStatus: 'up', reason: '' };

function facts(overrides: Partial<AlertFacts> = {}): AlertFacts {
  const base = {
    deliveryId: 'd',
    status: 'down',
    flip: fell,
    flips: [fell],
    earlier: undefined,
    check: aCheck(),
  } as const;
  const rest = {
    channelIds: ['c'],
    projectName: 'Jobs',
    lastPing: undefined,
    others: { total: 0, downCount: 0, down: [] },
  };
  return { ...base, ...rest, ...overrides };
}

const alertOf = (overrides: Partial<AlertFacts>) =>
  describeAlert(facts(overrides), { addresses, version: 3, now });

describe('a flip that reaches no one', () => {
  const wants = { canSend: true, isWanted: true };
  const isOn = { canSend: true, isWanted: false };
  const isOff = { canSend: false, isWanted: true };
  const started = { ...rose, oldStatus: 'new' };
  test.each([
    ['down, no channel', fell, [], true],
    ['down, a channel that cannot send', fell, [isOff], true],
    ['down, a channel that can send and one that cannot', fell, [isOff, wants], false],
    ['down, a channel that wants no message', fell, [isOn], true],
    ['up again, no channel', rose, [], true],
    ['up again, a channel that cannot send', rose, [isOff], true],
    ['up again, a channel that wants no message', rose, [isOff, isOn], false],
    ['up for the first time, no channel', started, [], false],
  ])('%s', (_situation, flip, assigned, expected) => {
    expect(isUnheard(flip, assigned)).toBe(expected);
  });
});

describe('news', () => {
  test.each([
    ['up', 'down', 'down'],
    ['new', 'down', 'down'],
    ['paused', 'down', 'down'],
    ['down', 'up', 'up'],
    ['new', 'up', undefined],
    ['paused', 'up', undefined],
    ['up', 'paused', undefined],
    ['paused', 'new', undefined],
  ])('%s → %s: %p', (oldStatus, newStatus, news) => {
    expect(alertStatusOf({ at: 0, oldStatus, newStatus, reason: '' })).toBe(news);
  });
});

describe('alert', () => {
  test('describes the check, with its JSON as a read-write key sees it', () => {
    const { check, reason, at, lastPing, downSince } = alertOf({});
    expect({ reason, at, lastPing, downSince }).toEqual({
      reason: 'timeout',
      at: fell.at,
      lastPing: null,
      downSince: null,
    });
    expect(check).toMatchObject({
      name: 'Backup',
      tags: ' prod  db',
      tagList: ['prod', 'db'],
      period: { kind: 'simple', timeoutSeconds: 86_400 },
      json: { uuid: aCheck().uuid, channels: 'c', timeout: 86_400 },
    });
  });

  test('contains the schedule', () => {
    const check = aCheck({ kind: 'cron', schedule: '0 2 * * *', tz: 'Europe/Riga' });
    expect(alertOf({ check }).check.period).toEqual({
      kind: 'cron',
      schedule: '0 2 * * *',
      tz: 'Europe/Riga',
    });
  });

  test.each<[string, Partial<AlertFacts>, number | null]>([
    ['up after it fell', { status: 'up', flip: rose, earlier: fell }, fell.at],
    ['up, without a known earlier status', { status: 'up', flip: rose }, null],
    ['up after something else', { status: 'up', flip: rose, earlier: rose }, null],
    ['down', { earlier: fell }, null],
  ])('since when it was down: %s', (_situation, overrides, downSince) => {
    expect(alertOf(overrides).downSince).toBe(downSince);
  });

  test('describes the last ping, and whether it was a mail', () => {
    const origin = { scheme: 'email', method: '', remoteAddr: '192.0.2.7' };
    const lastPing = { n: 112, signal: 'fail', at: 5, exitStatus: 3, body: null, ...origin } as const;
    expect(alertOf({ lastPing }).lastPing).toEqual({
      n: 112,
      signal: 'fail',
      at: 5,
      exitStatus: 3,
      isMail: true,
      body: null,
      origin,
    });
  });

  test('names the other checks that are down', () => {
    const { uuid, uniqueKey } = aCheck();
    const named = { uuid, uniqueKey };
    const down = [aCheck({ name: '', slug: 'mail', lastPing: 7 }), aCheck({ name: '', slug: '' })];
    expect(alertOf({ others: { total: 5, downCount: 2, down } }).others).toEqual({
      total: 5,
      downCount: 2,
      down: [
        { ...named, name: 'mail', lastPing: 7 },
        { ...named, name: 'unnamed check', lastPing: null },
      ],
    });
  });
});
