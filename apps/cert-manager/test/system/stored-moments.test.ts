import { columnName } from '@certloop/db';
import { clockRowsOf, columnsOfType, describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { schema } from '../../src/database.js';
import { mailTurns } from '../../src/events/mail-turns.repository.js';
import { futureMoments } from '../../src/system/clock/future-moments.repository.js';
import { startApp, type TestApp } from '../support/app.js';

const unbounded = ['recorded', 'given', 'derived', 'set by people', 'by its certificate'];
const rows = clockRowsOf('cert-manager');
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
    const moments = futureMoments({ renewalLeaseMs: 120_000, jobLeaseMs: 60_000 });
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
