import { describe, expect, test } from 'vitest';
import { type Check, defaultSettings, uniqueKeyOf } from './check.js';
import { describeCheck, describeCheckReadOnly } from './check-view.js';

const noon = Date.UTC(2026, 0, 1, 12) * 1000;
const addresses = { siteRoot: 'https://monitor.example', pingEndpoint: 'https://ping.example/' };
const context = { addresses, version: 3, now: noon } as const;
const uuid = '62e13f6b-a7b9-4926-9c3d-000000000001';

const check: Check = {
  ...defaultSettings,
  id: 1,
  projectId: 'p',
  uuid,
  badgeUuid: '0d3b0f0c-9c3d-4926-a7b9-000000000002',
  uniqueKey: uniqueKeyOf(uuid),
  pingCount: 7,
  createdAt: noon,
  storedStatus: 'up',
  lastPing: noon - 1,
  lastStart: null,
  lastStartRunId: null,
  lastDuration: null,
  alertAfter: null,
};

const basics =
  'name slug tags desc grace n_pings status started last_ping next_ping manual_resume methods subject ' +
  'subject_fail start_kw success_kw failure_kw filter_subject filter_body filter_http_body ' +
  'filter_default_fail badge_url';

const membersOf = (view: object) => Object.keys(JSON.parse(JSON.stringify(view))).join(' ');

describe('check as JSON', () => {
  test.each([
    ['simple', {}, 'timeout'],
    ['cron', { kind: 'cron' }, 'schedule tz'],
    ['OnCalendar', { kind: 'oncalendar', schedule: 'daily' }, 'schedule tz'],
  ] as const)('a read-write key sees these members of a %s check, in order', (_kind, changes, last) => {
    const members = membersOf(describeCheck({ ...check, ...changes }, [], context));
    expect(members).toBe(`${basics} uuid ping_url update_url pause_url resume_url channels ${last}`);
  });

  test('a read-only key sees these members, in order', () => {
    const members = membersOf(describeCheckReadOnly({ ...check, lastDuration: 1 }, context));
    expect(members).toBe(`${basics} last_duration unique_key timeout`);
  });

  test('addresses carry the version of the request and the ping endpoint', () => {
    expect(describeCheck(check, [], { ...context, version: 1 })).toMatchObject({
      ping_url: `https://ping.example/${uuid}`,
      pause_url: `https://monitor.example/api/v1/checks/${uuid}/pause`,
      badge_url: 'https://monitor.example/b/2/0d3b0f0c-9c3d-4926-a7b9-000000000002.svg',
    });
  });

  test('times are cut to the second', () => {
    expect(describeCheck(check, [], context)).toMatchObject({
      last_ping: '2026-01-01T11:59:59+00:00',
      next_ping: '2026-01-02T11:59:59+00:00',
    });
  });

  test('channels are sorted', () => {
    expect(describeCheck(check, ['b', 'a'], context).channels).toBe('a,b');
  });

  test('a run of less than a second lasted 0', () => {
    expect(describeCheck({ ...check, lastDuration: 999_999 }, [], context)).toHaveProperty(
      'last_duration',
      0,
    );
  });

  test.each([
    ['version 1 says that a job runs', 1, noon - 60e6, 'started'],
    ['version 1 says down when it has outrun its grace', 1, noon - 3600e6, 'down'],
    ['version 2 does not', 2, noon - 60e6, 'up'],
    ['version 3 does not', 3, noon - 60e6, 'up'],
  ] as const)('%s', (_situation, version, lastStart, status) => {
    expect(describeCheck({ ...check, lastStart }, [], { ...context, version })).toMatchObject({
      status,
      started: true,
    });
  });

  test('the deprecated pair echoes the keywords only while the subject is filtered', () => {
    const keyed = { ...check, successKeywords: 'ok', failureKeywords: 'err' };
    expect(describeCheck(keyed, [], context)).toMatchObject({ subject: '', subject_fail: '' });
    expect(describeCheck({ ...keyed, filterSubject: true }, [], context)).toMatchObject({
      subject: 'ok',
      subject_fail: 'err',
    });
  });

  test('the unique key is the SHA-1 of the first half of the uuid', () => {
    expect(uniqueKeyOf(uuid)).toBe('e7ef792f33f4b0cd67bd3619df59cb82603b78a5');
  });

  test('asks the schedule for its next occurrence once', () => {
    let reads = 0;
    const counted: Check = {
      ...check,
      kind: 'cron',
      get schedule() {
        reads += 1;
        return '0 13 * * *';
      },
    };
    describeCheckReadOnly(counted, context);
    // the other one shows it
    expect(reads).toBe(2);
  });
});
