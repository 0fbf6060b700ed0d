import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describeEachDialect } from '@certloop/db/testing';
import { afterEach, expect, jest, test } from '@jest/globals';
import { schema } from '../../src/database.js';
import { setUpProject } from '../../src/projects/create-project.service.js';

// processes start and end here
jest.setTimeout(60_000);

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
  test('loses no ping that was answered', async () => {
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

function total(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}
