import { columnName, type Database } from '@certloop/db';
import {
  clockRowsOf,
  columnsOfType,
  correctedMoments,
  describeEachDialect,
  standAlone,
  wrongClocks,
} from '@certloop/db/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { schema } from '../../src/database.js';
import { mailTurns } from '../../src/events/mail/mail-turns.repository.js';
import { futureMoments } from '../../src/system/clock/future-moments.repository.js';
import { startApp, type TestApp } from '../support/app.js';

const unbounded = ['recorded', 'given', 'derived', 'set by people', 'by its certificate'];
const rows = clockRowsOf('cert-manager');
const moments = futureMoments({ renewalLeaseMs: 120_000, jobLeaseMs: 60_000 });
const now = Date.parse('2026-03-01T12:00:00Z');
const namesOf = (some: typeof rows) =>
  some.flatMap(({ table, columns }) => columns.map((column) => `${table}.${column}`)).toSorted();

describeEachDialect('moments that are stored', (open) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(open);
  });
  afterAll(() => app.close());

  test('are listed in docs/clocks.md, each column with its bound', () => {
    expect(namesOf(rows)).toEqual(columnsOfType(schema, app.database.dialect, 'instant'));
  });

  test('have the bounds of that page', () => {
    const names = new Set(moments.map(({ table, column }) => `${table.name}.${columnName(column)}`));
    expect([...names].toSorted()).toEqual(namesOf(rows.filter(({ bound }) => !unbounded.includes(bound))));
  });

  test('are pulled back if they lie beyond, and logged', async () => {
    const { database, clock } = app;
    const now = clock.now().getTime();
    const far = new Date(now + 200 * 86_400_000);
    const row = { id: 'notices', dueAt: far, isSent: false, attempts: 0, leaseToken: null, batch: null };
    await database.transaction((tx) => tx.insert(mailTurns, row));
    await app.pullBack();
    const stored = await database.read((tx) => tx.findOneBy(mailTurns, { id: 'notices' }));
    expect(stored?.dueAt.getTime()).toBe(now);
    const lines = () => app.logged().filter(({ event }) => event === 'clock.moments_pulled_back');
    expect(lines()).toMatchObject([{ counts: { 'mail_turns.due_at': 1 } }]);
    await app.pullBack();
    expect(lines()).toHaveLength(1);
  });
});

describeEachDialect('a stored moment', (open) => {
  let database: Database;
  beforeAll(async () => {
    ({ database } = await open(standAlone(moments)));
  });

  const named = moments.map((moment, index) => ({ name: `${moment.table.name} ${index}`, moment }));
  describe.each(named)('of $name', ({ moment }) => {
    test.each(wrongClocks)(
      'is within its bound after the clock that stored it was %s',
      async (_, aheadMs) => {
        const { maxAheadMs, pauseMs = 0, spreadMs = 0 } = moment;
        const terms = {
          now,
          stored: (ms: number) => new Date(ms),
          msOf: (at: unknown) => (at as Date).getTime(),
        };
        const { allowed, beyond } = await correctedMoments(database, moment, terms, aheadMs);
        expect(allowed).toBe(Math.floor(maxAheadMs));
        expect(beyond).toBeGreaterThanOrEqual(pauseMs);
        expect(beyond).toBeLessThanOrEqual(Math.min(maxAheadMs, pauseMs + spreadMs));
      },
    );
  });
});
