import { columnName, type Database, executeSql } from '@certloop/db';
import {
  clockRowsOf,
  columnsOfType,
  correctedMoments,
  describeEachDialect,
  standAlone,
  wrongClocks,
} from '@certloop/db/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { futureMoments } from '../../src/clock/future-moments.repository.js';
import { schema } from '../../src/database.js';
import { describeMonitor } from '../support/suite.js';

const unbounded = ['recorded', 'by its check', 'no moment'];
const rows = clockRowsOf('check-monitor');
const namesOf = (some: typeof rows) =>
  some.flatMap(({ table, columns }) => columns.map((column) => `${table}.${column}`)).toSorted();
const minute = 60_000;
const day = 1440 * minute;

describeMonitor('moments that are stored', (stage) => {
  const checkOf = async ({ uuid }: { uuid: string }) => (await stage.ada.get(`/checks/${uuid}`)).body;

  test('are listed in docs/clocks.md, each column of microseconds with its bound', () => {
    expect(namesOf(rows)).toEqual(columnsOfType(schema, stage.app.database.dialect, 'bigint'));
  });

  test('have the bounds of that page', () => {
    const names = futureMoments.map(({ table, column }) => `${table.name}.${columnName(column)}`);
    expect(names.toSorted()).toEqual(namesOf(rows.filter(({ bound }) => !unbounded.includes(bound))));
  });

  test.each([
    ['a day', day],
    ['200 days', 200 * day],
  ])('are pulled back after a minute %s ahead, so that checks go down in time', async (_, ms) => {
    const { app, ada } = stage;
    const simple = await ada.check({ timeout: 600, grace: 60 });
    const cron = await ada.check({ schedule: '0 * * * *', grace: 60 });
    const running = await ada.check({ timeout: 86_400, grace: 60 });
    app.clock.advance(ms);
    await ada.ping(simple);
    await ada.ping(cron);
    await ada.ping(running, '/start');
    app.clock.advance(minute);
    await app.tick();
    app.clock.advance(-ms);
    await app.pullBack();
    expect((await checkOf(simple)).next_ping).toBe('2026-01-01T12:11:00+00:00');
    expect((await checkOf(cron)).next_ping).toBe('2026-01-01T13:00:00+00:00');
    app.clock.advance(62 * minute);
    await app.tick();
    for (const check of [simple, cron, running]) expect((await checkOf(check)).status).toBe('down');
    await ada.ping(simple);
    expect((await checkOf(simple)).status).toBe('up');
  });

  test('are pulled back while the clock is a day behind, so that checks go down all the same', async () => {
    const { app, ada } = stage;
    const check = await ada.check({ timeout: 600, grace: 60 });
    await ada.ping(check);
    app.clock.advance(-day);
    await app.pullBack();
    expect(await checkOf(check)).toMatchObject({ status: 'up', next_ping: '2025-12-31T12:10:00+00:00' });
    app.clock.advance(11 * minute);
    await app.tick();
    expect((await checkOf(check)).status).toBe('down');
    app.clock.advance(day);
    await ada.ping(check);
    await app.pullBack();
    await app.tick();
    expect(await checkOf(check)).toMatchObject({ status: 'up', next_ping: '2026-01-01T12:21:00+00:00' });
  });

  test.each([
    ['in spring', '2026-03-29T00:55:00Z', '2026-03-29T01:05:00+00:00'],
    ['in autumn', '2026-10-25T00:55:00Z', '2026-10-25T01:05:00+00:00'],
  ])('do not depend on the change of the host’s time %s', async (_, at, nextPing) => {
    const { app, ada } = stage;
    const zone = process.env['TZ'];
    process.env['TZ'] = 'Europe/Berlin';
    try {
      app.clock.set(new Date(at));
      const check = await ada.check({ timeout: 600, grace: 60 });
      await ada.ping(check);
      expect((await checkOf(check)).next_ping).toBe(nextPing);
      app.clock.advance(11 * minute - 1000);
      await app.tick();
      expect((await checkOf(check)).status).toBe('grace');
      app.clock.advance(1000);
      await app.tick();
      expect((await checkOf(check)).status).toBe('down');
    } finally {
      if (zone === undefined) delete process.env['TZ'];
      else process.env['TZ'] = zone;
    }
  });

  test('stay as they are if the rules allow them', async () => {
    const { app, ada } = stage;
    const check = await ada.check({ timeout: 31_536_000, grace: 60 });
    await ada.ping(check);
    const before = await checkOf(check);
    await app.pullBack();
    expect(await checkOf(check)).toEqual(before);
  });

  test('are not later than the pauses of a channel allow', async () => {
    const { app, ada } = stage;
    const far = app.accounts.clock.now() + 400 * day * 1000;
    const project = ada.keys.projectId;
    const insert = `insert into channels (uuid, project_id, kind, name, settings, created_at, held_until)
      values ('0b7f3d0e-0000-4000-8000-000000000001', $1, 'webhook', 'a', '{}', $2, $3)`;
    await app.database.transaction((tx) => executeSql(tx, insert, [project, app.accounts.clock.now(), far]));
    await app.pullBack();
    const held = 'select 1 from channels where held_until > $1';
    const left = app.database.read((tx) => executeSql(tx, held, [app.accounts.clock.now()]));
    expect(await left).toBe(0);
    await app.database.transaction((tx) => executeSql(tx, 'delete from channels'));
  });
});

describeEachDialect('a stored moment', (open) => {
  let database: Database;
  beforeAll(async () => {
    ({ database } = await open(standAlone(futureMoments)));
  });

  const named = futureMoments.map((moment) => ({ name: `${moment.table.name}.${moment.column}`, moment }));
  describe.each(named)('of $name', ({ moment }) => {
    test.each(wrongClocks)(
      'is within its bound after the clock that stored it was %s',
      async (_, aheadMs) => {
        const now = Date.parse('2026-03-01T12:00:00Z');
        const terms = { now, stored: (ms: number) => ms * 1000, msOf: (at: unknown) => Number(at) / 1000 };
        const { maxAheadMs } = moment;
        const corrected = await correctedMoments(database, moment, terms, aheadMs);
        expect(corrected).toEqual({ allowed: maxAheadMs, beyond: 0 });
      },
    );
  });
});
