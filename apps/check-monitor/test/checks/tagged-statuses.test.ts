import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { defaultSettings, newCheck, type TaggedStatus } from '../../src/checks/check.js';
import { deadlineOf, type StoredStatus, statusAt } from '../../src/checks/check-timing.js';
import { insertCheck } from '../../src/checks/rows/checks.repository.js';
import { listTaggedStatuses } from '../../src/checks/rows/tagged-checks.repository.js';
import { microsOf } from '../../src/instants.js';
import { began, type Holder } from '../support/app.js';
import { describeMonitor } from '../support/suite.js';

const now = microsOf(began);
const minute = 60_000_000;

const settings = [
  { kind: 'simple', timeoutSeconds: 600, graceSeconds: 120, tags: '' },
  { kind: 'cron', schedule: '*/10 * * * *', graceSeconds: 120, tags: 'say "hello", back\\slash' },
  { kind: 'oncalendar', schedule: 'hourly', graceSeconds: 120, tags: 'a b' },
] as const;
const storedStatuses: readonly StoredStatus[] = ['new', 'up', 'down', 'paused'];
const minutesAgo = [null, 0, 1, 2, 5, 10, 11, 12, 13, 60, 61, 62, 3000];

/** Checks in every state, before and at each of their bounds; the alert loop has something to do for some early. */
function statesOf({ keys }: Holder) {
  const origin = () => ({
    projectId: keys.projectId,
    uuid: randomUUID(),
    badgeUuid: randomUUID(),
    createdAt: now,
  });
  const moment = (ago: number | null) => (ago === null ? null : now - ago * minute);
  return settings.flatMap((one) =>
    storedStatuses.flatMap((storedStatus) =>
      minutesAgo.flatMap((ping) =>
        [null, 1, 2, 30].flatMap((start) => {
          const made = newCheck({ ...defaultSettings, ...one }, origin());
          const state = { ...made, storedStatus, lastPing: moment(ping), lastStart: moment(start) };
          const deadline = deadlineOf(state);
          const early = deadline === null ? [] : [{ ...state, ...origin(), alertAfter: deadline - minute }];
          return [{ ...state, alertAfter: deadline }, ...early];
        }),
      ),
    ),
  );
}

describeMonitor('statuses of tagged checks', (stage) => {
  test('match the rules, for all checks and for some', async () => {
    const checks = statesOf(stage.ada);
    const { database } = stage.app;
    await database.transaction(async (tx) => {
      for (const check of checks) await insertCheck(tx, check);
    });
    const { projectId } = stage.ada.keys;
    const sorted = (found: readonly TaggedStatus[]) =>
      [...found].sort((one, other) => (one.uuid < other.uuid ? -1 : 1));
    const expected = checks.map((check) => ({
      uuid: check.uuid,
      tags: check.tags,
      status: statusAt(check, now),
    }));
    expect(new Set(expected.map(({ status }) => status)).size).toBe(5);
    expect(sorted(await database.read((tx) => listTaggedStatuses(tx, projectId, now)))).toEqual(
      sorted(expected),
    );
    const some = expected.slice(10, 20);
    const uuids = [...some.map(({ uuid }) => uuid), randomUUID()];
    expect(sorted(await database.read((tx) => listTaggedStatuses(tx, projectId, now, uuids)))).toEqual(
      sorted(some),
    );
  });
});
