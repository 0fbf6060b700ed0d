import { describe, expect, test } from 'vitest';
import { checkOf, isNewerState } from './dump-check.js';
import { readRow } from './dump-rows.js';

const fields = {
  name: 'Nightly',
  slug: 'nightly',
  tags: 'prod',
  desc: 'x',
  project: 1,
  kind: 'simple',
  code: '00000000-0000-4000-8000-000000000101',
  badge_key: '00000000-0000-4000-8000-000000000201',
  created: '2025-06-15T12:00:00Z',
  timeout: '01:00:00',
  grace: '00:05:00',
  schedule: '* * * * *',
  tz: 'UTC',
  filter_subject: false,
  filter_body: true,
  start_kw: '',
  success_kw: 'ok',
  failure_kw: '',
  methods: 'POST',
  manual_resume: true,
  n_pings: 7,
  last_ping: '2026-01-01T11:30:00Z',
  last_start: null,
  last_start_rid: null,
  last_duration: '00:00:02.500000',
  has_confirmation_link: false,
  alert_after: null,
  status: 'up',
};

function read(changes: object) {
  const found = readRow({ model: 'api.check', pk: 1, fields: { ...fields, ...changes } });
  return found.model === 'api.check' ? checkOf(found.row, 'project') : found;
}

const pinged = 1_767_267_000_000_000;
const minute = 60_000_000;

describe('check of a row', () => {
  test('has the settings, the state and a computed deadline', () => {
    expect(read({})).toMatchObject({
      projectId: 'project',
      uuid: fields.code,
      badgeUuid: fields.badge_key,
      kind: 'simple',
      timeoutSeconds: 3600,
      graceSeconds: 300,
      methods: 'POST',
      manualResume: true,
      filterBody: true,
      storedStatus: 'up',
      pingCount: 7,
      lastPing: pinged,
      lastDuration: 2_500_000,
      filterHttpBody: false,
      filterDefaultFail: false,
      alertAfter: pinged + 65 * minute,
    });
  });

  test.each([
    ['a zone that was renamed', { tz: 'Europe/Kiev' }, { tz: 'Europe/Kyiv' }],
    [
      'a running job',
      { last_start: '2026-01-01T11:30:00Z', status: 'new' },
      { alertAfter: pinged + 5 * minute },
    ],
    ['a run that ended', { last_start_rid: fields.code }, { lastStartRunId: null }],
    ['a check that is down', { status: 'down' }, { alertAfter: null }],
    [
      'a cron schedule',
      { kind: 'cron', schedule: '0 * * * *' },
      { kind: 'cron', alertAfter: pinged + 35 * minute },
    ],
  ])('%s', (_situation, changes, expected) => {
    expect(read(changes)).toMatchObject(expected);
  });

  test.each([
    ['tz', { tz: 'Mars/Olympus' }],
    ['schedule', { kind: 'cron', schedule: 'often' }],
    ['schedule', { kind: 'oncalendar', schedule: '* * * * *' }],
    ['timeout', { timeout: '00:00:59' }],
    ['grace', { grace: '366 00:00:00' }],
    ['methods', { methods: 'PUT' }],
    ['name', { name: 'x'.repeat(101) }],
    ['name', { name: 'a\u0000b' }],
    ['code', { code: 'x' }],
    ['last_ping', { last_ping: 'yesterday' }],
    ['n_pings', { n_pings: undefined }],
  ])('names the invalid field: %s', (field, changes) => {
    expect(read(changes)).toEqual(expect.objectContaining({ fault: expect.stringContaining(`${field}: `) }));
  });
});

describe('state in a dump compared with the state here', () => {
  test.each([
    ['more pings there', 'up', 3, 'down', 2, true],
    ['fewer pings there', 'down', 2, 'up', 3, false],
    ['fell here', 'up', 2, 'down', 2, false],
    ['fell there', 'down', 2, 'up', 2, true],
    ['paused there', 'paused', 2, 'up', 2, true],
    ['paused here', 'up', 2, 'paused', 2, false],
    ['resumed there', 'new', 2, 'paused', 2, true],
    ['a first run that fell here', 'new', 0, 'down', 0, false],
  ] as const)('%s', (_situation, there, count, here, countHere, isNewer) => {
    const dumped = { storedStatus: there, pingCount: count };
    expect(isNewerState(dumped, { storedStatus: here, pingCount: countHere })).toBe(isNewer);
  });
});
