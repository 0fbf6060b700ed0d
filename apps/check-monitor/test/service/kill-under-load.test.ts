import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Database } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterEach, expect, test } from 'vitest';
import { setPassword } from '../../src/accounts/passwords.service.js';
import { schema } from '../../src/database.js';
import { microsOf } from '../../src/instants.js';
import { setUpProject } from '../../src/projects/create-project.service.js';
import { passwords } from '../support/app.js';
import { copyCheck } from '../support/copy-check.js';

const main = fileURLToPath(new URL('../../service/main.js', import.meta.url));
const secret = 'a secret for tests only';
const running: ChildProcess[] = [];

interface Service {
  readonly url: string;
  kill(): Promise<unknown>;
}

async function start(databaseUrl: string): Promise<Service> {
  const env = {
    CHECK_MONITOR_DATABASE_URL: databaseUrl,
    CHECK_MONITOR_SECRET: secret,
    CHECK_MONITOR_PORT: '0',
  };
  const child = spawn(process.execPath, [main], { env });
  running.push(child);
  for await (const line of createInterface(child.stdout)) {
    const entry: { event?: string; url?: string } = JSON.parse(line);
    if (entry.event !== 'service.started' || entry.url === undefined) continue;
    const kill = () => {
      const closed = once(child, 'close');
      child.kill('SIGKILL');
      return closed;
    };
    child.stdout.resume();
    return { url: entry.url, kill };
  }
  throw new Error('the service ended before it listened');
}

afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

describeEachDialect('a kill under load', (open) => {
  test('loses no acknowledged ping', async () => {
    const { database, url } = await open(schema);
    const owner = { email: 'ada@example.org', checkLimit: 100, pingLimit: 1_000_000 };
    const keys = await setUpProject({ db: database, clock: { now: () => 0 }, secret }, owner, 'Jobs');
    const headers = { 'X-Api-Key': keys.readWriteKey };
    const first = await start(url);
    const uuids: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      const made = await fetch(`${first.url}/api/v3/checks/`, { method: 'POST', headers });
      uuids.push(((await made.json()) as { uuid: string }).uuid);
    }

    const answered = new Map(uuids.map((uuid) => [uuid, 0]));
    const sender = async (place: number): Promise<void> => {
      for (let count = place; ; count += 1) {
        const uuid = uuids[count % uuids.length] ?? '';
        const { status } = await fetch(`${first.url}/ping/${uuid}`);
        if (status === 200) answered.set(uuid, (answered.get(uuid) ?? 0) + 1);
        if (total(answered) === 300) void first.kill();
      }
    };
    const senders = Array.from({ length: 16 }, (_, place) => sender(place));
    // each ends when the connection does
    expect((await Promise.allSettled(senders)).every(({ status }) => status === 'rejected')).toBe(true);
    expect(total(answered)).toBeGreaterThanOrEqual(300);

    const second = await start(url);
    for (const [uuid, count] of answered) {
      const check = await fetch(`${second.url}/api/v3/checks/${uuid}`, { headers });
      const { n_pings: stored } = (await check.json()) as { n_pings: number };
      const listed = await fetch(`${second.url}/api/v3/checks/${uuid}/pings/`, { headers });
      const { pings } = (await listed.json()) as { pings: { n: number }[] };
      expect(stored).toBeGreaterThanOrEqual(count);
      expect(pings.map(({ n }) => n)).toEqual(Array.from({ length: stored }, (_, place) => stored - place));
    }
  });
});

describeEachDialect('a change of many checks', (open) => {
  test('keeps complete batches when its process is killed; repeating the call changes the rest', async () => {
    const { database, url } = await open(schema);
    const [email, password] = ['ada@example.org', 'correct horse battery'];
    const accounts = { db: database, clock: { now: () => microsOf(new Date()) }, secret };
    const owner = { email, checkLimit: null, pingLimit: 100 };
    const { projectId, readWriteKey } = await setUpProject(accounts, owner, 'Jobs');
    await setPassword({ ...accounts, passwords }, email, password);
    const first = await start(url);
    const headers = { 'X-Api-Key': readWriteKey };
    const made = await fetch(`${first.url}/api/v3/checks/`, { method: 'POST', headers });
    const { uuid } = (await made.json()) as { uuid: string };
    await database.transaction((tx) => copyCheck(tx, uuid, 419));
    const paused = () => count(database, "check_states where stored_status = 'paused'");
    const change = async (service: string) => {
      const session = await signIn(service, email, password);
      const response = await fetch(`${service}/api/account/projects/${projectId}/checks/bulk`, {
        method: 'POST',
        headers: { ...session, 'content-type': 'application/json' },
        body: JSON.stringify({ action: 'pause', filter: {} }),
      });
      return (await response.json()) as { matched: number; changed: number; unchanged: number };
    };

    const undo = await hangAt(database, 300);
    const cut = change(first.url).catch(() => 'cut off');
    while ((await paused()) === 0) await pause(20);
    await first.kill();
    expect(await cut).toBe('cut off');
    await undo();
    expect([await paused(), await count(database, 'flips')]).toEqual([200, 200]);

    const second = await start(url);
    expect(await change(second.url)).toMatchObject({ matched: 420, changed: 220, unchanged: 200 });
    expect([await paused(), await count(database, 'flips')]).toEqual([420, 420]);
  });
});

async function count(database: Database, from: string): Promise<number> {
  const [row] = await database.read((tx) => tx.query(`select count(*) as n from ${from}`));
  return Number((row as { n: unknown }).n);
}

/** Headers of a session at the service. */
async function signIn(service: string, email: string, password: string): Promise<Record<string, string>> {
  const response = await fetch(`${service}/api/account/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ email, password }),
  });
  const { csrfToken } = (await response.json()) as { csrfToken: string };
  const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? '';
  return { cookie, 'x-csrf-token': csrfToken, 'sec-fetch-site': 'same-origin' };
}

/** Makes the update of a check's state last until its process is killed; returns how to undo that then. */
async function hangAt(database: Database, checkId: number): Promise<() => Promise<void>> {
  const isSqlite = database.dialect.name === 'sqlite';
  const run = (text: string) => database.transaction((tx) => tx.query(text));
  if (isSqlite) {
    await run(`create view endless as
      with recursive n(i) as (select 1 union all select i + 1 from n) select i from n`);
    await run(`create trigger hanging before update on check_states when new.check_id = ${checkId}
      begin select count(*) from endless; end`);
  } else {
    await run(`create function hang() returns trigger language plpgsql
      as $$ begin perform pg_sleep(3600); return new; end $$`);
    await run(`create trigger hanging before update on check_states for each row
      when (new.check_id = ${checkId}) execute function hang()`);
  }
  return async () => {
    // the server notices only later that no one waits for it any more
    const end = `select pg_terminate_backend(pid, 10000) from pg_stat_activity
      where wait_event = 'PgSleep' and datname = current_database()`;
    if (!isSqlite) await run(end);
    await run(`drop trigger hanging${isSqlite ? '' : ' on check_states'}`);
  };
}

function total(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}
