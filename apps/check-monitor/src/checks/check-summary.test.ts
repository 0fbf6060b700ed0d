import { describe, expect, test } from 'vitest';
import { microsPerSecond } from '../instants.js';
import { type CheckSummary, compareTexts, nameKeyOf, statusOf } from './check-summary.js';
import { type CheckTiming, deadlineOf, type StoredStatus, statusAt } from './check-timing.js';

const began = Date.parse('2026-01-01T12:00:00Z') * 1000;
const hour = 3600 * microsPerSecond;

function summary(changes: Partial<CheckSummary>): CheckSummary {
  return {
    id: 1,
    uuid: '',
    uniqueKey: '',
    name: '',
    slug: '',
    tags: '',
    kind: 'simple',
    timeoutSeconds: 3600,
    graceSeconds: 600,
    schedule: '30 * * * *',
    tz: 'Europe/Riga',
    storedStatus: 'up',
    lastPing: began,
    lastStart: null,
    lastDuration: null,
    alertAfter: null,
    pingCount: 1,
    ...changes,
  };
}

describe('the status of a check in a list', () => {
  const statuses: readonly StoredStatus[] = ['new', 'up', 'down', 'paused'];
  const cases = statuses.flatMap((storedStatus) =>
    (['simple', 'cron'] as const).flatMap((kind) =>
      [null, began + hour / 10].flatMap((lastStart) =>
        [null, began].map((lastPing) => ({ storedStatus, kind, lastStart, lastPing })),
      ),
    ),
  );

  test.each(cases)('is that of the check itself: %j', (given) => {
    const check = summary(given);
    const deadline = deadlineOf({ ...check, lastStartRunId: null } as CheckTiming);
    for (const alertAfter of [null, deadline, deadline === null ? null : deadline - hour / 4]) {
      for (let minutes = 0; minutes <= 120; minutes += 5) {
        const now = began + minutes * 60 * microsPerSecond;
        expect(statusOf({ ...check, alertAfter }, now)).toBe(statusAt(check, now));
      }
    }
  });
});

test('sorts by name in any case, unnamed checks by their slug, those without either last', () => {
  const checks = [
    { id: 1, name: '', slug: '' },
    { id: 2, name: 'backup', slug: '' },
    { id: 3, name: 'Archive', slug: '' },
    { id: 4, name: '', slug: 'audit' },
    { id: 5, name: 'Backup', slug: '' },
  ].map((one) => summary(one));
  expect(
    checks.sort((one, other) => compareTexts(nameKeyOf(one), nameKeyOf(other))).map(({ id }) => id),
  ).toEqual([3, 4, 2, 5, 1]);
});
