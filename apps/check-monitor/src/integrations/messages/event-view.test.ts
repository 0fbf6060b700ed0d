import { describe, expect, test } from 'vitest';
import { aDownCheck, anEvent, aRecovery, happened, minute, viewOf } from '../../../test/support/events.js';
import type { AlertEvent } from './alert-event.js';
import { factText } from './event-facts.js';

const ping = {
  n: 112,
  signal: 'success',
  at: happened - 10 * minute,
  exitStatus: null,
  isMail: false,
  body: null,
} as const;

describe('sentence of an event', () => {
  test.each<[string, AlertEvent, string]>([
    [
      'no signal in time',
      anEvent(),
      '“Backup” is DOWN (success signal did not arrive on time, grace time passed).',
    ],
    ['a failure', anEvent({ reason: 'fail' }), '“Backup” is DOWN (received a failure signal).'],
    ['an unknown reason', anEvent({ reason: '' }), '“Backup” is DOWN.'],
    ['a recovery', aRecovery(), '“Backup” is UP. The downtime lasted 1 hour.'],
    ['a recovery from who knows when', aRecovery({ downSince: null }), '“Backup” is UP.'],
    ['no name, so the slug', anEvent({ reason: '', check: { name: '' } }), '“backup” is DOWN.'],
    [
      'neither name nor slug: the uuid is not shown',
      anEvent({ reason: '', check: { name: '', slug: '' } }),
      '“unnamed check” is DOWN.',
    ],
  ])('%s', (_situation, event, sentence) => {
    expect(viewOf(event).sentence).toBe(sentence);
  });
});

describe('facts of an event', () => {
  const factsOf = (event: AlertEvent) =>
    viewOf(event).facts.map((fact) => `${fact.label}: ${factText(fact)}`);

  test('of a simple check', () => {
    expect(factsOf(anEvent({ check: { description: 'Nightly' } }))).toEqual([
      'Went Down: 2026-01-01 12:00:00 UTC',
      'Description: Nightly',
      'Project: Jobs',
      'Tags: prod, db',
      'Period: 1 day',
      'Total Pings: 112',
      'Last Ping: Success, 10 minutes ago',
    ]);
  });

  test('a long description is cut', () => {
    const [, second] = factsOf(anEvent({ check: { description: 'é'.repeat(501) } }));
    expect(second).toBe(`Description: ${'é'.repeat(500)}…`);
  });

  test('of a check with a schedule, without tags', () => {
    const period = { kind: 'cron', schedule: '0 2 * * *', tz: 'Europe/Riga' } as const;
    expect(factsOf(anEvent({ check: { tags: '', tagList: [], period } }))).toEqual([
      'Went Down: 2026-01-01 14:00:00 UTC+02:00 (Europe/Riga)',
      'Project: Jobs',
      'Schedule: 0 2 * * *',
      'Time Zone: Europe/Riga',
      'Total Pings: 112',
      'Last Ping: Success, 10 minutes ago',
    ]);
  });

  test('of a recovery begin with its time', () => {
    expect(factsOf(aRecovery())[0]).toBe('Came Up: 2026-01-01 12:00:00 UTC');
  });

  test('count the pings up to the change, not those up to the sending', () => {
    const facts = factsOf(anEvent({ check: { pingCount: 500 }, lastPing: { ...ping, n: 112 } }));
    expect(facts).toContain('Total Pings: 112');
  });

  test('of a check that was never pinged', () => {
    const facts = factsOf(anEvent({ check: { pingCount: 0 }, lastPing: null }));
    expect(facts.slice(-2)).toEqual(['Total Pings: 0', 'Last Ping: Never']);
  });

  test('state in a late message that its ping was deleted for newer ones', () => {
    const facts = factsOf(anEvent({ check: { pingCount: 500 }, lastPing: null }));
    expect(facts.at(-1)).toBe('Last Ping: No longer stored');
    expect(facts.join()).not.toContain('Total Pings');
  });

  test.each<[string, AlertEvent['lastPing'], string]>([
    ['a failure', { ...ping, signal: 'fail' }, 'Failure, 10 minutes ago'],
    ['an exit status', { ...ping, signal: 'fail', exitStatus: 3 }, 'Exit status 3, 10 minutes ago'],
    [
      'ignored, whatever its exit status',
      { ...ping, signal: 'ign', exitStatus: 7 },
      'Ignored, 10 minutes ago',
    ],
    ['a keyword of success', { ...ping, exitStatus: 7 }, 'Success, 10 minutes ago'],
    ['a log', { ...ping, signal: 'log', exitStatus: 7 }, 'Log, 10 minutes ago'],
    ['an exit status of success', { ...ping, exitStatus: 0 }, 'Success, 10 minutes ago'],
  ])('last ping: %s', (_situation, lastPing, text) => {
    expect(factsOf(anEvent({ lastPing })).at(-1)).toBe(`Last Ping: ${text}`);
  });
});

describe('body of the last ping', () => {
  test.each<[string, AlertEvent['lastPing'], string | undefined]>([
    ['none', ping, undefined],
    ['short', { ...ping, body: Buffer.from('ok\n') }, 'ok\n'],
    ['exactly 1000 characters', { ...ping, body: Buffer.from('é'.repeat(1000)) }, 'é'.repeat(1000)],
    [
      'one more: cut, whole characters only',
      { ...ping, body: Buffer.from('😀'.repeat(1001)) },
      `${'😀'.repeat(1000)}\n[truncated]`,
    ],
    ['no UTF-8', { ...ping, body: Buffer.from([0x61, 0xff]) }, 'a\ufffd'],
    ['a mail: not shown raw', { ...ping, isMail: true, body: Buffer.from('Subject: x') }, undefined],
  ])('%s', (_situation, lastPing, body) => {
    expect(viewOf(anEvent({ lastPing })).body).toBe(body);
  });
});

describe('the other checks', () => {
  const down = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      aDownCheck({ name: `job ${index}`, lastPing: happened - minute }),
    );

  test.each<[string, AlertEvent['others'], string[]]>([
    ['there are none', { total: 0, downCount: 0, down: [] }, []],
    ['all are up', { total: 2, downCount: 0, down: [] }, ['All the other checks are up.']],
    [
      'some are down',
      { total: 3, downCount: 2, down: [aDownCheck(), ...down(1)] },
      [
        'The following checks are also down:',
        '- mail (last ping: never)',
        '- job 0 (last ping: a minute ago)',
      ],
    ],
    [
      'too many to be named are down',
      { total: 20, downCount: 11, down: [] },
      ['11 other checks are also down.'],
    ],
  ])('%s', (_situation, others, lines) => {
    expect(viewOf(anEvent({ others })).others).toEqual(lines);
  });
});

test('a recovery says which other checks are still down', () => {
  const view = viewOf(aRecovery({ others: { total: 1, downCount: 1, down: [aDownCheck()] } }));
  expect(view.others).toEqual(['The following checks are still down:', '- mail (last ping: never)']);
  expect(view.downOthers[0]?.link).toMatch(/\/cloaked\/b{40}\/\?s=[\w-]{22}$/);
});

test('the link names the check without its uuid', () => {
  const view = viewOf(anEvent());
  expect(view.link).toMatch(
    /^https:\/\/monitor\.example\/cloaked\/a6c7b0a8a66bed0df66abfdab3c77736861703ee\/\?s=[\w-]{22}$/,
  );
  expect(JSON.stringify(view)).not.toContain(anEvent().check.uuid);
});
