import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  column,
  createTables,
  type Database,
  defineTable,
  dropTables,
  entitiesOf,
  executeSql,
  insertMany,
  pullBackMoments,
  type Schema,
} from '../../src/index.js';
import { describeEachDialect } from '../../src/testing.js';

interface Turn {
  readonly id: string;
  readonly kind: string;
  readonly dueAt: Date | null;
}

const turns = defineTable<Turn>('turns', {
  columns: { id: column.word(8).primary(), kind: column.word(8), dueAt: column.instant().nullable() },
});
const schema: Schema = {
  entities: (dialect) => entitiesOf(dialect, [turns]),
  migrations: [
    {
      name: '0001-turns',
      up: (runner, dialect) => createTables(runner, dialect, [turns]),
      down: (runner) => dropTables(runner, [turns]),
    },
  ],
};

const hour = 3_600_000;
const now = Date.parse('2026-03-01T12:00:00Z');
const inHours = (hours: number) => new Date(now + hours * hour);

describeEachDialect('moments beyond their bound', (open) => {
  let db: Database;
  beforeAll(async () => {
    db = (await open(schema)).database;
  });
  beforeEach(() => db.transaction((tx) => executeSql(tx, 'delete from turns')));
  afterAll(() => db.close());

  const insert = (rows: readonly Turn[]) => db.transaction((tx) => insertMany(tx, turns, rows));
  const moments = async () => {
    const rows = await db.read((tx) => tx.find(turns, { order: { id: 'ASC' } }));
    return rows.map(({ dueAt }) => dueAt);
  };
  const terms = { now, stored: (ms: number) => new Date(ms) };

  test('are pulled back to the pause, others stay', async () => {
    await insert([
      { id: 'a', kind: 'call', dueAt: inHours(1) },
      { id: 'b', kind: 'call', dueAt: new Date(now + hour + 60_001) },
      { id: 'c', kind: 'mail', dueAt: inHours(5000) },
      { id: 'd', kind: 'call', dueAt: null },
    ]);
    const moment = {
      table: turns,
      column: 'dueAt',
      where: "kind = 'call'",
      maxAheadMs: hour,
      pauseMs: 60_000,
    };
    expect(await pullBackMoments(db, [moment], terms)).toEqual({ 'turns.due_at': 1 });
    expect(await moments()).toEqual([inHours(1), new Date(now + 60_000), inHours(5000), null]);
    expect(await pullBackMoments(db, [moment], terms)).toEqual({});
  });

  test('stay within a minute, as another process stores moments in the meantime', async () => {
    await insert([{ id: 'a', kind: 'call', dueAt: new Date(now + hour + 60_000) }]);
    expect(await pullBackMoments(db, [{ table: turns, column: 'dueAt', maxAheadMs: hour }], terms)).toEqual(
      {},
    );
  });

  test('are spread where there are many', async () => {
    await insert(Array.from({ length: 500 }, (_, n) => ({ id: `${n}`, kind: 'call', dueAt: inHours(5000) })));
    const moment = { table: turns, column: 'dueAt', maxAheadMs: hour, spreadMs: hour };
    expect(await pullBackMoments(db, [moment], terms)).toEqual({ 'turns.due_at': 500 });
    const times = (await moments()).map((moment) => moment?.getTime() ?? 0);
    expect(times.every((time) => time >= now && time < now + hour)).toBe(true);
    expect(new Set(times).size).toBeGreaterThan(1);
  });
});
