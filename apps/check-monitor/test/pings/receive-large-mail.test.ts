import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describeEachDialect } from '@certloop/db/testing';
import { afterEach, expect, test } from '@jest/globals';
import { schema } from '../../src/database.js';
import { microsOf } from '../../src/instants.js';
import { setUpProject } from '../../src/projects/create-project.service.js';

const main = fileURLToPath(new URL('../../service/main.js', import.meta.url));
const secret = 'a secret for tests only';
const running: ChildProcess[] = [];

afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

const domain = 'ping.example';
const unknown = '00000000-0000-4000-8000-000000000000';
const megabyte = 1_000_000;

/** The service as its own process, with as little memory for objects as it can start with. */
async function startSmall(databaseUrl: string, sizeLimit: number) {
  const env = {
    CHECK_MONITOR_DATABASE_URL: databaseUrl,
    CHECK_MONITOR_SECRET: secret,
    CHECK_MONITOR_PORT: '0',
    CHECK_MONITOR_SMTP_PORT: '0',
    CHECK_MONITOR_PING_MAIL_DOMAIN: domain,
    CHECK_MONITOR_SMTP_SIZE_LIMIT: String(sizeLimit),
  };
  const child = spawn(process.execPath, ['--max-old-space-size=128', main], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.push(child);
  let port = 0;
  for await (const line of createInterface(child.stdout)) {
    const entry: { event?: string; url?: string; port?: number } = JSON.parse(line);
    if (entry.event === 'mail.listening') port = entry.port ?? 0;
    if (entry.event !== 'service.started') continue;
    child.stdout.resume();
    return { child, url: String(entry.url), port };
  }
  throw new Error('the service ended before it listened');
}

/** A mail of HTML, as a whole; parsed, it is objects of several times its size. */
function htmlMail(bytes: number): Buffer {
  const header = 'Subject: report\r\nContent-Type: text/html; charset=utf-8\r\n\r\n';
  const end = '\r\n.\r\n';
  const mail = Buffer.alloc(bytes, '<p>all <b>w</b>ell &amp; done</p>\r\n');
  mail.write(header);
  mail.write(end, bytes - end.length);
  return mail;
}

/** Resolves with the answer to the mail; costs this process next to nothing, as it measures pings in the meantime. */
async function send(port: number, uuid: string, mail: Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const answers = createInterface(socket)[Symbol.asyncIterator]();
  const answer = async () => String((await answers.next()).value);
  await answer();
  for (const line of ['HELO x', 'MAIL FROM:<cron@host.example>', `RCPT TO:<${uuid}@${domain}>`, 'DATA']) {
    socket.write(`${line}\r\n`);
    await answer();
  }
  socket.write(mail);
  const last = await answer();
  socket.destroy();
  return last;
}

/** Pings all the while; resolves with the longest time of an answer in milliseconds when `work` is done. */
async function slowestPing(url: string, work: Promise<unknown>): Promise<number> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  let slowest = 0;
  while (!isDone) {
    const began = performance.now();
    const response = await fetch(url);
    await response.text();
    expect(response.status).toBe(200);
    slowest = Math.max(slowest, performance.now() - began);
  }
  await done;
  return slowest;
}

describeEachDialect('a mail of many megabytes', (open) => {
  test('neither stops the service nor delays pings, whether its check exists or not', async () => {
    const { url: databaseUrl, database } = await open(schema);
    const accounts = { db: database, secret, clock: { now: () => microsOf(new Date()) } };
    const owner = { email: 'ada@example.org', checkLimit: null, pingLimit: null };
    const { pingKey, readWriteKey } = await setUpProject(accounts, owner, 'Jobs');
    const { child, url, port } = await startSmall(databaseUrl, 32 * megabyte);
    const headers = { 'X-Api-Key': readWriteKey, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ name: 'mailed', filter_body: true, failure_kw: 'well & done' });
    const made = await fetch(`${url}/api/v3/checks/`, { method: 'POST', headers, body });
    const { uuid } = (await made.json()) as { uuid: string };
    const ping = `${url}/ping/${pingKey}/nightly`;
    expect((await fetch(`${ping}?create=1`)).status).toBe(201);

    const usualBefore = await slowestPing(ping, pause(1000));
    const [large, medium] = [htmlMail(31 * megabyte), htmlMail(9 * megabyte)] as const;
    const six = Array.from({ length: 6 }, () => send(port, unknown, large));
    const slowest = await slowestPing(ping, Promise.all(six));
    expect(await Promise.all(six)).toEqual(Array(6).fill(expect.stringMatching(/^250 /)));

    const read = [send(port, uuid, medium), send(port, uuid, medium)];
    const slowestWhileStored = await slowestPing(ping, Promise.all(read));
    const { pings } = (await (await fetch(`${url}/api/v3/checks/${uuid}/pings/`, { headers })).json()) as {
      pings: { type: string }[];
    };
    expect(pings.map(({ type }) => type)).toEqual(['fail', 'fail']);
    // on a busy machine every ping takes longer, also after the first measurement
    const usual = Math.max(usualBefore, await slowestPing(ping, pause(1000)));
    expect(slowest).toBeLessThan(1000 + 5 * usual);
    // a ping may wait for the transaction that stores nine megabytes
    expect(slowestWhileStored).toBeLessThan(5000 + 5 * usual);

    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([0, null]);
  });
});
