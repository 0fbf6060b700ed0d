import { randomUUID } from 'node:crypto';
import { executeSql, querySql } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { expect, test } from 'vitest';
import { type Check, defaultSettings, newCheck } from '../../src/checks/check.js';
import { findCheckByUuid, insertCheck } from '../../src/checks/rows/checks.repository.js';
import { schema } from '../../src/database.js';
import { setUpProject } from '../../src/projects/create-project.service.js';
import { findProjectByPingKey, projects } from '../../src/projects/projects.repository.js';

describeEachDialect('schema', (open) => {
  test('migrations and tables agree', async () => {
    const { database } = await open(schema);
    expect(await database.schemaDrift()).toEqual([]);
  });

  test('is restored by running all migrations down and up', async () => {
    const { database } = await open(schema);
    for (const _ of schema.migrations) await database.revertLast();
    expect(await database.pendingMigrations()).toEqual(schema.migrations.map(({ name }) => name));
    await database.migrate();
    expect(await database.schemaDrift()).toEqual([]);
  });

  test('keeps checks and their pings when states move into a table of their own, and back', async () => {
    const { database } = await open(schema);
    const owner = { email: 'ada@example.org', checkLimit: null, pingLimit: null };
    const { pingKey } = await setUpProject(
      { db: database, clock: { now: () => 0 }, secret: 'secret' },
      owner,
      'Jobs',
    );
    const pinged: Partial<Check> = {
      storedStatus: 'up',
      lastPing: 1_767_268_800_000_001,
      lastStart: 1_767_268_800_000_002,
      lastStartRunId: randomUUID(),
      lastDuration: 3,
      alertAfter: 1_767_268_800_000_004,
      pingCount: 5,
    };
    const states = [{}, pinged].map((state) => ({ uuid: randomUUID(), ...state }));
    await database.transaction(async (tx) => {
      const projectId = (await findProjectByPingKey(tx, pingKey))?.id ?? '';
      for (const { uuid, ...state } of states) {
        const origin = { projectId, uuid, badgeUuid: randomUUID(), createdAt: 0 };
        await insertCheck(tx, { ...newCheck(defaultSettings, origin), ...state });
      }
      await executeSql(
        tx,
        `insert into pings (check_id, slot, at, signal, scheme, method, user_agent)
        select id, 1, 0, 'success', 'http', 'GET', '' from checks`,
      );
    });
    const inPlace = () =>
      database.read(async (tx) => {
        const checks = [];
        for (const { uuid } of states) checks.push(await findCheckByUuid(tx, uuid));
        return { checks, pings: await executeSql(tx, 'select * from pings') };
      });
    const before = await inPlace();
    expect(before).toMatchObject({ checks: states, pings: 2 });

    const place = schema.migrations.findIndex(({ name }) => name === '0004-check-states');
    for (const _ of schema.migrations.slice(place)) await database.revertLast();
    const old = 'select * from checks where ping_count = 5';
    expect(await database.read((tx) => executeSql(tx, old))).toBe(1);
    await database.migrate();
    expect(await inPlace()).toEqual(before);
  });

  test('keeps badge keys when they may be longer, and what refers to their projects', async () => {
    const { database } = await open(schema);
    const owner = { email: 'ada@example.org', checkLimit: null, pingLimit: null };
    await setUpProject({ db: database, clock: { now: () => 0 }, secret: 'secret' }, owner, 'Jobs');
    const { pingKeyHash: _hash, sealedPingKey: _sealed, ...former } = projects.columns;
    const inPlace = () =>
      database.read(async (tx) => ({
        projects: await querySql(tx, former, 'select * from projects'),
        keys: await executeSql(tx, 'select * from api_keys'),
      }));
    const before = await inPlace();
    expect(before).toMatchObject({ projects: [{ name: 'Jobs' }], keys: 2 });

    const place = schema.migrations.findIndex(({ name }) => name === '0009-badge-keys');
    for (const _ of schema.migrations.slice(place)) await database.revertLast();
    expect(await inPlace()).toEqual(before);
    await database.migrate();
    expect(await inPlace()).toEqual(before);

    const set = (key: string) =>
      database.transaction((tx) => executeSql(tx, 'update projects set badge_key = $1', [key]));
    await set('1f0e3dad-9990-4345-b743-9f8ffa');
    for (const _ of schema.migrations.slice(place)) await database.revertLast();
    await database.migrate();
    expect((await inPlace()).projects).toHaveLength(1);
  });
});
