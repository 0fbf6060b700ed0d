import { randomUUID } from 'node:crypto';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Check, type CheckSettings, newCheck } from '../../src/checks/check.js';
import { listManyChecks } from '../../src/checks/rows/check-cells.repository.js';
import { findCheckByUuid, insertCheck } from '../../src/checks/rows/checks.repository.js';
import { findKnownChecks } from '../../src/pings/batches/known-checks.repository.js';
import { openTestApp, type TestApp } from '../support/app.js';

const flags = ['manualResume', 'filterSubject', 'filterBody', 'filterHttpBody', 'filterDefaultFail'] as const;

/** No two members are alike, so that two columns in each other's place are seen. */
const settings: CheckSettings = {
  name: 'a name, "quoted" and \\ escaped',
  slug: 'a-slug',
  tags: 'two tags',
  description: 'line one\nline two',
  kind: 'cron',
  timeoutSeconds: 61,
  graceSeconds: 62,
  schedule: '1 2 3 4 5',
  tz: 'Europe/Riga',
  methods: 'POST',
  startKeywords: 'start,begin',
  successKeywords: 'done',
  failureKeywords: 'failed',
  manualResume: false,
  filterSubject: false,
  filterBody: false,
  filterHttpBody: false,
  filterDefaultFail: false,
};

const started = {
  storedStatus: 'up',
  lastPing: 1_767_268_800_000_001,
  lastStart: 1_767_268_800_000_002,
  lastStartRunId: randomUUID(),
  lastDuration: 63,
  alertAfter: 1_767_268_800_000_003,
  pingCount: 64,
} as const;

describeEachDialect('columns of a check', (open) => {
  let app: TestApp;
  let projectId: string;
  beforeAll(async () => {
    app = await openTestApp(open);
    projectId = (await app.newProject()).keys.projectId;
  });
  afterAll(() => app.close());

  const cases: readonly [string, Partial<Check>][] = [
    ['every value, without flags', started],
    ['null wherever it is allowed', {}],
    ...flags.map((flag): [string, Partial<Check>] => [
      `the flag ${flag} alone`,
      { ...started, [flag]: true },
    ]),
  ];

  test.each(cases)('are read as they were written, in one row or many: %s', async (_case, changes) => {
    const origin = {
      projectId,
      uuid: randomUUID(),
      badgeUuid: randomUUID(),
      createdAt: app.accounts.clock.now(),
    };
    const written = { ...newCheck(settings, origin), ...changes };
    await app.database.transaction((tx) => insertCheck(tx, written));
    const one = await app.database.read((tx) => findCheckByUuid(tx, written.uuid));
    expect(one).toEqual({ ...written, id: one?.id });
    const { lastStartRunId: _runId, alertAfter: _alertAfter, createdAt: _createdAt, ...shown } = one as Check;
    const many = await app.database.read((tx) => listManyChecks(tx, projectId));
    expect(many.find(({ uuid }) => uuid === written.uuid)).toEqual(shown);
  });

  test.each(cases)('are read for pings as they were written: %s', async (_case, changes) => {
    const origin = {
      projectId,
      uuid: randomUUID(),
      badgeUuid: randomUUID(),
      createdAt: app.accounts.clock.now(),
    };
    const written = { ...newCheck(settings, origin), ...changes };
    await app.database.transaction((tx) => insertCheck(tx, written));
    const {
      name: _name,
      slug: _slug,
      tags: _tags,
      description: _description,
      projectId: _projectId,
      badgeUuid: _badgeUuid,
      uniqueKey: _uniqueKey,
      createdAt: _createdAt,
      ...known
    } = written;
    const [found] = await findKnownChecks(app.database, [written.uuid]);
    const { pingCount } = written;
    const ring = { firstSlot: pingCount + 1, lastSlot: pingCount, slotCount: 0 };
    expect(found).toEqual({ ...known, ...ring, id: found?.id, revision: 0, pingLimit: null });
  });
});
