import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { excessMs } from '@certloop/contracts/testing';
import { describeEachDialect } from '@certloop/db/testing';
import { afterEach, expect, test } from 'vitest';
import { schema } from '../../src/database.js';
import { microsOf } from '../../src/instants.js';
import { setUpProject } from '../../src/projects/create-project.service.js';

const main = fileURLToPath(new URL('../../service/main.js', import.meta.url));
const watching = new URL('../support/watched-process.fixture.js', import.meta.url).href;
const secret = 'a secret for tests only';
const running: ChildProcess[] = [];

afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

const domain = 'ping.example';
const unknown = '00000000-0000-4000-8000-000000000000';
const megabyte = 1_000_000;
// how long pings may wait for the processor beside mails for no check, and beside one that is stored
const [refusedMs, storedMs] = [50, 400];

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
  const child = spawn(process.execPath, ['--import', watching, '--max-old-space-size=128', main], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.push(child);
  const lines = createInterface(child.stdout);
  /** The next line of this event. */
  const logged = (event: string) =>
    new Promise<Readonly<Record<string, unknown>>>((resolve, reject) => {
      const end = () => reject(new Error(`the service ended before ${event}`));
      const read = (line: string) => {
        const entry = JSON.parse(line) as Record<string, unknown>;
        if (entry['event'] !== event) return;
        lines.off('line', read).off('close', end);
        resolve(entry);
      };
      lines.on('line', read).once('close', end);
    });
  const [{ port }, { url }] = await Promise.all([logged('mail.listening'), logged('service.started')]);
  return {
    child,
    url: String(url),
    port: Number(port),
    /** The longest stretch of its main thread since the last call, in milliseconds of the processor. */
    maxStretchMs: async () => {
      const written = logged('test.longest_stretch');
      child.kill('SIGUSR2');
      return Number((await written)['maxMs']);
    },
  };
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

/** Resolves with the answer to the mail. */
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

/** What `work` resolves with; pings all the while. */
async function pinging<T>(url: string, work: Promise<T>): Promise<T> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    const response = await fetch(url);
    await response.text();
    expect(response.status).toBe(200);
  }
  return done;
}

describeEachDialect('a mail of many megabytes', (open) => {
  test('neither stops the service nor holds up pings, whether its check exists or not', async () => {
    const { url: databaseUrl, database } = await open(schema);
    const accounts = { db: database, secret, clock: { now: () => microsOf(new Date()) } };
    const owner = { email: 'ada@example.org', checkLimit: null, pingLimit: null };
    const { pingKey, readWriteKey } = await setUpProject(accounts, owner, 'Jobs');
    const { child, url, port, maxStretchMs } = await startSmall(databaseUrl, 32 * megabyte);
    const headers = { 'X-Api-Key': readWriteKey, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ name: 'mailed', filter_body: true, failure_kw: 'well & done' });
    const made = await fetch(`${url}/api/v3/checks/`, { method: 'POST', headers, body });
    const { uuid } = (await made.json()) as { uuid: string };
    const ping = `${url}/ping/${pingKey}/nightly`;
    expect((await fetch(`${ping}?create=1`)).status).toBe(201);

    const [large, medium] = [htmlMail(31 * megabyte), htmlMail(9 * megabyte)] as const;
    const refuse = async () => {
      await maxStretchMs();
      const six = Array.from({ length: 6 }, () => send(port, unknown, large));
      expect(await pinging(ping, Promise.all(six))).toEqual(Array(6).fill(expect.stringMatching(/^250 /)));
      return maxStretchMs();
    };
    expect(await excessMs(refusedMs, refuse)).toBeUndefined();
    const store = async () => {
      await maxStretchMs();
      await pinging(ping, Promise.all([send(port, uuid, medium), send(port, uuid, medium)]));
      return maxStretchMs();
    };
    expect(await excessMs(storedMs, store)).toBeUndefined();
    const { pings } = (await (await fetch(`${url}/api/v3/checks/${uuid}/pings/`, { headers })).json()) as {
      pings: { type: string }[];
    };
    expect(new Set(pings.map(({ type }) => type))).toEqual(new Set(['fail']));
    expect(pings.length % 2).toBe(0);
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([0, null]);
  });
});
