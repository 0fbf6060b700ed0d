import { type Database, executeSql } from '@certloop/db';
import { expect, test } from 'vitest';
import { findCheckByUuid } from '../../src/checks/rows/checks.repository.js';
import { schema } from '../../src/database.js';
import { microsOf, microsPerSecond } from '../../src/instants.js';
import { storePingsLocked } from '../../src/pings/batches/store-pings.service.js';
import type { PingIntake } from '../../src/pings/intake/receive-ping.service.js';
import { listPingsUpTo } from '../../src/pings/pings.repository.js';
import { began, type Holder } from '../support/app.js';
import { countPings } from '../support/factories.js';
import { intakeOf, pingAt, pingTo } from '../support/intake.js';
import { describeMonitor } from '../support/suite.js';

interface Made {
  readonly uuid: string;
}

const runId = '0fa9b6cd-0c5b-4b3c-9b51-1d2f3a4b5c6d';

/** `to` and the numbers before it, `count` in all. */
const downFrom = (to: number, count: number) => Array.from({ length: count }, (_, place) => to - place);

async function numbersOf(holder: Holder, { uuid }: Made): Promise<number[]> {
  const { pings } = (await holder.get(`/checks/${uuid}/pings/`)).body;
  return pings.map(({ n }: { n: number }) => n);
}

/** Pings one after the other, so that none is pushed out before it is stored. */
async function pingTimes(intake: PingIntake, { uuid }: Made, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) await intake.receive(pingTo(uuid));
}

describeMonitor('old pings', (stage) => {
  const stored = ({ uuid }: Made) => countPings(stage.app.database, uuid);

  test('are replaced by new ones, one by one and many at once', async () => {
    const carl = await stage.app.newProject({ pingLimit: 3 });
    const made = await carl.check();
    for (let n = 1; n <= 8; n += 1) {
      await carl.ping(made, '/log');
      expect(await numbersOf(carl, made)).toEqual(downFrom(n, Math.min(n, 3)));
    }
    await Promise.all(Array.from({ length: 241 }, () => carl.ping(made, '/log')));
    await stage.app.http.post(`/ping/${made.uuid}`).type('text/plain').send('last').expect(200);
    expect(await numbersOf(carl, made)).toEqual([250, 249, 248]);
    expect(await stored(made)).toBe(3);
  });

  test('are replaced if several processes accept the pings of a check', async () => {
    const carl = await stage.app.newProject({ pingLimit: 10 });
    const made = await Promise.all([carl.check(), carl.check(), carl.check()]);
    const processes = [intakeOf(stage), intakeOf(stage)];
    for (let n = 1; n <= 33; n += 1) {
      for (const check of made) await pingTimes(processes[n % 2] as PingIntake, check, 1);
    }
    for (const check of made) {
      expect(await numbersOf(carl, check)).toEqual(downFrom(33, 10));
      expect(await stored(check)).toBe(10);
    }
  });

  test('are replaced if each ping requests the creation of its check', async () => {
    const carl = await stage.app.newProject({ pingLimit: 3 });
    const { pingKey } = carl.keys;
    const target = { kind: 'slug', pingKey, slug: 'made', create: true } as const;
    // each of a process that knows nothing yet
    for (let n = 1; n <= 7; n += 1) await intakeOf(stage).receive(pingAt(target));
    const [made] = (await carl.get('/checks/')).body.checks;
    expect(await numbersOf(carl, made)).toEqual([7, 6, 5]);
    expect(await stored(made)).toBe(3);
  });

  test('are deleted with their bodies', async () => {
    const carl = await stage.app.newProject({ pingLimit: 4 });
    const { uuid } = await carl.check();
    const intake = intakeOf(stage);
    const bodyOf = (n: number) => `${n} `.repeat(n % 3 === 0 ? 3000 : n);
    for (let n = 1; n <= 11; n += 1) {
      // every fifth has none
      const body = Buffer.from(n % 5 === 0 ? '' : bodyOf(n));
      await intake.receive(pingTo(uuid, { body }));
    }
    for (const n of [8, 9, 11])
      expect((await carl.get(`/checks/${uuid}/pings/${n}/body`).expect(200)).text).toBe(bodyOf(n));
    for (const n of [0, 3, 7, 10, 12]) await carl.get(`/checks/${uuid}/pings/${n}/body`).expect(404);
  });

  test('end the runs that they started, but not those of the previous lap', async () => {
    const carl = await stage.app.newProject({ pingLimit: 4 });
    const made = await carl.check();
    const pingLater = async (suffix: string) => {
      stage.app.clock.advance(1000);
      await carl.ping(made, suffix);
    };
    for (const suffix of ['', '', '', `/start?rid=${runId}`, '/log', '/log', `?rid=${runId}`])
      await pingLater(suffix);
    const latest = async () => (await carl.get(`/checks/${made.uuid}/pings/`)).body.pings[0];
    expect(await latest()).toMatchObject({ n: 7, duration: 3 });
    for (const suffix of ['/start?rid=', '/log', '/log', '/log', '?rid='])
      await pingLater(suffix.endsWith('=') ? `${suffix}${runId}` : suffix);
    expect(await latest()).toMatchObject({ n: 12 });
    expect(await latest()).not.toHaveProperty('duration');
  });

  test('are found for a message by their time in every lap', async () => {
    const carl = await stage.app.newProject({ pingLimit: 3 });
    const made = await carl.check();
    for (let n = 1; n <= 5; n += 1) {
      stage.app.clock.advance(1000);
      await carl.ping(made);
    }
    const latestUpTo = async (seconds: number) => {
      const upTo = microsOf(began) + seconds * microsPerSecond;
      const id = await idOf(stage.app.database, made);
      const found = await stage.app.database.read((tx) => listPingsUpTo(tx, [{ checkId: id, upTo }]));
      return found.get(id)?.n;
    };
    expect(await Promise.all([2, 3, 4, 9].map(latestUpTo))).toEqual([undefined, 3, 4, 5]);
  });

  test('follow a raised or lowered limit of their account', async () => {
    const carl = await stage.app.newProject({ pingLimit: 5 });
    const made = await carl.check();
    const intake = intakeOf(stage);
    let n = 0;
    /** Lengths of the list after every fifth ping, which has the latest pings without a gap. */
    const pingAndList = async (times: number) => {
      const lengths: number[] = [];
      for (const end = n + times; n < end; ) {
        n += 1;
        await intake.receive(pingTo(made.uuid));
        if (n % 5 !== 0) continue;
        const shown = await numbersOf(carl, made);
        expect(shown).toEqual(downFrom(n, shown.length));
        lengths.push(shown.length);
      }
      return lengths;
    };
    await pingAndList(8);
    await setPingLimit(stage.app.database, carl, 8);
    const grown = await pingAndList(112);
    expect(Math.min(...grown)).toBe(5);
    expect(grown.at(-1)).toBe(8);
    expect(await stored(made)).toBe(8);
    await setPingLimit(stage.app.database, carl, 3);
    expect(new Set(await pingAndList(111))).toEqual(new Set([3]));
    expect(await stored(made)).toBe(3);
  });

  test('have no gap if processes have different limits', async () => {
    const made = await stage.ada.check();
    const processes = [3, 7, 4].map((pingLimit) => intakeOf(stage, { pingLimit }));
    for (let n = 1; n <= 60; n += 1) {
      await pingTimes(processes[(n * n) % 3] as PingIntake, made, 1);
      const shown = await numbersOf(stage.ada, made);
      expect(shown).toEqual(downFrom(n, shown.length));
      expect(shown.length).toBeGreaterThanOrEqual(Math.min(n, 3));
    }
  });

  test('of an earlier version keep their numbers, and are replaced in order', async () => {
    const { database } = stage.app;
    const made = await stage.ada.check();
    const id = await idOf(database, made);
    await database.transaction(async (tx) => {
      for (let n = 51; n <= 200; n += 1) {
        await executeSql(
          tx,
          `insert into pings (check_id, slot, at, signal, scheme, method, user_agent)
          values ($1, $2, $2, 'success', 'http', 'GET', '')`,
          [id, n],
        );
      }
      await executeSql(tx, 'update check_states set ping_count = 200 where check_id = $1', [id]);
    });
    expect(await numbersOf(stage.ada, made)).toEqual(downFrom(200, 100));
    const intake = intakeOf(stage);
    for (let n = 201; n <= 460; n += 1) {
      await intake.receive(pingTo(made.uuid, { body: Buffer.from(`body ${n}`) }));
      if (n % 10 === 1) expect(await numbersOf(stage.ada, made)).toEqual(downFrom(n, 100));
    }
    expect(await stored(made)).toBe(100);
    const { text } = await stage.ada.get(`/checks/${made.uuid}/pings/361/body`).expect(200);
    expect(text).toBe('body 361');
  });

  test('keep their numbers when the migration is reverted', async () => {
    const { database } = stage.app;
    const carl = await stage.app.newProject({ pingLimit: 3 });
    const made = await carl.check();
    await pingTimes(intakeOf(stage), made, 5);
    const id = await idOf(database, made);
    const place = schema.migrations.findIndex(({ name }) => name === '0007-ring-of-pings');
    for (const _ of schema.migrations.slice(place)) await database.revertLast();
    const earlier = await database.read((tx) =>
      tx.query(`select n from pings where check_id = ${id} order by n`),
    );
    await database.migrate();
    expect(earlier.map(({ n }: { n: unknown }) => Number(n))).toEqual([3, 4, 5]);
    expect(await numbersOf(carl, made)).toEqual([5, 4, 3]);
    await pingTimes(intakeOf(stage), made, 2);
    expect(await numbersOf(carl, made)).toEqual([7, 6, 5]);
  });

  test.each(['as known', 'locked'])('are deleted with flips older than 93 days, stored %s', async (way) => {
    const { app } = stage;
    const carl = await app.newProject({ pingLimit: 3 });
    const made = await carl.check();
    const id = await idOf(app.database, made);
    const flips = () =>
      app.database.read((tx) => executeSql(tx, 'select 1 from flips where check_id = $1', [id]));
    for (const suffix of ['', '/fail', '']) await carl.ping(made, suffix);
    app.clock.advance(94 * 24 * 3600 * 1000);
    const deps = { ...app, ...app.accounts, pingLimit: 3 };
    const sent = { uuid: made.uuid, ping: pingTo(made.uuid) };
    const intake = intakeOf(stage);
    // for as long as an older ping is stored
    for (let n = 4; n <= 5; n += 1) await intake.receive(sent.ping);
    expect(await flips()).toBe(3);
    for (let time = 0; time < 100; time += 1) {
      if (way === 'locked') await storePingsLocked(deps, [sent]);
      else await intake.receive(sent.ping);
    }
    expect(await flips()).toBe(0);
  });
});

function idOf(database: Database, { uuid }: Made): Promise<number> {
  return database.read(async (tx) => {
    const check = await findCheckByUuid(tx, uuid);
    if (check === undefined) throw new Error(`there is no check ${uuid}`);
    return check.id;
  });
}

async function setPingLimit(database: Database, { keys }: Holder, limit: number): Promise<void> {
  const text = `update users set ping_limit = $1
    where id = (select owner_id from projects where id = $2)`;
  await database.transaction((tx) => executeSql(tx, text, [limit, keys.projectId]));
}
