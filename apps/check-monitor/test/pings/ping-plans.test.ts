import { randomUUID } from 'node:crypto';
import { column, type Database, executeSql, querySql, type Tx } from '@certloop/db';
import { createTestDatabase, describeOnPostgres } from '@certloop/db/testing';
import { createLogger } from '@certloop/server';
import { afterEach, expect, test } from 'vitest';
import { defaultSettings, newCheck } from '../../src/checks/check.js';
import { insertCheck } from '../../src/checks/rows/checks.repository.js';
import { schema } from '../../src/database.js';
import { microsPerSecond } from '../../src/instants.js';
import { createPingIntake, type PingIntake } from '../../src/pings/intake/receive-ping.service.js';
import { setUpProject } from '../../src/projects/create-project.service.js';
import { findProjectByPingKey } from '../../src/projects/projects.repository.js';
import { began } from '../support/app.js';
import { pingTo } from '../support/intake.js';

const clock = { now: () => began.getTime() * 1000 };
const logger = createLogger({ service: 'check-monitor', level: 'silent' });

// On a fresh install statements of pings are planned while the tables are empty and nothing is known of them. The
// server of tests never analyzes a table on its own.
describeOnPostgres('statements of pings', () => {
  const drops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const drop of drops.splice(0)) await drop();
  });

  test.each(['never', 'while empty', 'while small'])(
    'read few rows of large tables, analyzed %s',
    async (when) => {
      const { drop, database } = await createTestDatabase('postgres', schema);
      drops.push(drop);
      const analyze = () => database.autocommit?.run({ name: 'analyze', text: 'vacuum analyze' }, []);
      if (when === 'while empty') await analyze();
      const insertChecks = await checksOf(database);
      const intake = openIntake(database);

      const [known, fresh] = [await insertChecks(20), await insertChecks(40)];
      // planned at the first run on each connection, and again after a table was analyzed
      while ((await fewestRuns(database)) < 1) await pingAll(intake, known);
      if (when === 'while small') await analyze();
      while ((await fewestRuns(database)) < 2) await pingAll(intake, known);
      const others = await insertChecks(400, 'pinged before');
      await database.transaction((tx) => fillRings(tx, 'pinged before'));

      const before = await rowsRead(database);
      // into slots that have to be made, into spare ones, and over others
      for (const uuids of [fresh, fresh, others.slice(0, 40)]) await pingAll(intake, uuids);
      const read = (await rowsRead(database)) - before;
      expect(read / 120).toBeLessThan(100);
    },
  );
});

/** A hundred pings for each check of a description. */
async function fillRings(tx: Tx, description: string): Promise<void> {
  await executeSql(
    tx,
    `update check_states set first_slot = 1, last_slot = 100, slot_count = 100, ping_count = 100
      where check_id in (select id from checks where description = $1)`,
    [description],
  );
  await executeSql(
    tx,
    `insert into pings (check_id, slot, n, at, signal, scheme, method, user_agent)
      select id, slot, slot, $1, 'success', 'http', 'GET', '' from checks, generate_series(1, 100) as slot
      where description = $2`,
    [clock.now(), description],
  );
  await countAtEnd(tx);
}

/** Lets the server count what the transaction reads as soon as it ends, and not up to seconds later. */
async function countAtEnd(tx: Tx): Promise<void> {
  await tx.query('select pg_stat_force_next_flush()');
}

async function pingAll(intake: PingIntake, uuids: readonly string[]): Promise<void> {
  await Promise.all(uuids.map((uuid) => intake.receive(pingTo(uuid))));
}

function openIntake(database: Database): PingIntake {
  return createPingIntake({
    db: database,
    clock,
    logger,
    newUuid: randomUUID,
    checkLimit: 1000,
    pingLimit: 100,
  });
}

/** What inserts checks into a new project, and returns their uuids. */
async function checksOf(
  database: Database,
): Promise<(count: number, description?: string) => Promise<string[]>> {
  const owner = { email: 'ada@example.test', checkLimit: null, pingLimit: null };
  const { pingKey } = await setUpProject({ db: database, clock, secret: 'a secret of tests' }, owner, 'Shop');
  return (count, description = '') =>
    database.transaction(async (tx) => {
      const project = await findProjectByPingKey(tx, pingKey);
      const uuids = Array.from({ length: count }, () => randomUUID());
      for (const uuid of uuids) {
        const origin = {
          projectId: project?.id ?? '',
          uuid,
          badgeUuid: randomUUID(),
          createdAt: clock.now(),
        };
        const check = newCheck({ ...defaultSettings, description }, origin);
        await insertCheck(tx, { ...check, storedStatus: 'up', lastPing: clock.now() - microsPerSecond });
      }
      await countAtEnd(tx);
      return uuids;
    });
}

/** How often pings were written by that one of the two connections which wrote less. */
async function fewestRuns(database: Database): Promise<number> {
  const count = {
    name: 'count-runs',
    text: `select cast(coalesce(sum(generic_plans + custom_plans), 0) as text), pg_sleep(0.02)
      from pg_prepared_statements where name = 'write-pings'`,
  };
  const counts = await Promise.all([
    database.autocommit?.run(count, []),
    database.autocommit?.run(count, []),
  ]);
  return Math.min(...counts.map((rows) => Number(rows?.[0]?.[0] ?? 0)));
}

/** Rows and entries of indexes that statements have read since the tables were made. */
async function rowsRead(database: Database): Promise<number> {
  const flush = {
    name: 'flush-stats',
    text: 'select cast(pg_stat_force_next_flush() as text), pg_sleep(0.1)',
  };
  // at once, so that each connection that writes pings has its turn
  await Promise.all([database.autocommit?.run(flush, []), database.autocommit?.run(flush, [])]);
  const text = `select cast((select sum(idx_tup_read) from pg_stat_user_indexes) +
    (select sum(seq_tup_read) from pg_stat_user_tables) as bigint) as rows`;
  const [found] = await database.read((tx) => querySql(tx, { rows: column.bigint() }, text));
  return found?.rows ?? 0;
}
