import { execFileSync, spawn } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
import { createWriteStream, readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { executeSql } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signTag } from '../../src/badges/badge-signature.js';
import { openTestApp, type TestApp } from '../support/app.js';
import { flipsPerCheck, type GeneratedDump, generateDump, writeDump } from '../support/dump.js';

const formerSecret = 'f0rmer';
const checkCount = 2000;

function start(words: readonly string[], databaseUrl: string) {
  const cli = fileURLToPath(new URL('../../service/cli.js', import.meta.url));
  const env = { CHECK_MONITOR_DATABASE_URL: databaseUrl, CHECK_MONITOR_SECRET: 'a secret for tests only' };
  return spawn(process.execPath, [cli, 'import', ...words], { env });
}

async function runImport(words: readonly string[], databaseUrl: string) {
  const child = start(words, databaseUrl);
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, out, err };
}

describeEachDialect('command to import a dump', (open) => {
  let app: TestApp;
  let url: string;
  let dump: GeneratedDump;

  beforeAll(async () => {
    app = await openTestApp(
      async (given) => {
        const made = await open(given);
        url = made.url;
        return made;
      },
      { formerSecret },
    );
    // the commands have no clock of ours
    app.clock.set(new Date());
    dump = await generateDump(checkCount, formerSecret, app.clock.now());
  });
  afterAll(() => app.close());

  const count = (table: string) => app.database.read((tx) => executeSql(tx, `select 1 from ${table}`));

  test('is refused with exit code 1, and says why', async () => {
    const { file } = await writeDump('[]');
    const { code, out, err } = await runImport(['--file', file], url);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('the dump has no users (auth.user). Write it with: manage.py dumpdata auth.user');
    const small = await generateDump(10, formerSecret, new Date());
    const { file: faulty } = await writeDump(small.file, (row) =>
      row.pk === 7 ? [{ ...row, fields: { ...row.fields, tz: 'Mars' } }] : [row],
    );
    const refused = await runImport(['--file', faulty], url);
    expect(refused).toMatchObject({
      code: 1,
      out: expect.stringContaining('api.check 7: tz: is not a time zone'),
    });
    expect(await count('projects')).toBe(0);
  });

  test('leaves nothing when it is killed in the middle', async () => {
    const pipe = `${dump.file}.pipe`;
    execFileSync('mkfifo', [pipe]);
    const child = start(['--file', pipe], url);
    const ended = new Promise((resolve) => child.on('close', resolve));
    const writer = createWriteStream(pipe);
    const whole = readFileSync(dump.file);
    // all but the end: once it is taken, checks and flips were written and nothing was committed
    await new Promise((resolve) => writer.write(whole.subarray(0, whole.length - 100), resolve));
    child.kill('SIGKILL');
    await ended;
    writer.destroy();
    expect(await count('projects')).toBe(0);
    expect(await count('checks')).toBe(0);
  });

  test('imports 2,000 checks, after which old addresses and keys answer', async () => {
    const dry = await runImport(['--file', dump.file, '--dry-run', '--json'], url);
    expect(JSON.parse(dry.out)).toMatchObject({
      outcome: 'dry run',
      counts: { checks: { created: checkCount } },
    });
    expect(await count('checks')).toBe(0);

    const { code, out } = await runImport(['--file', dump.file], url);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining(`checks: ${checkCount} created`) });
    expect(out).toContain(`flips: ${checkCount * flipsPerCheck} created`);

    const base = `http://127.0.0.1:${app.address().port}`;
    for (let start = 0; start < checkCount; start += 20) {
      const pings = dump.uuids.slice(start, start + 20).map((uuid) => fetch(`${base}/ping/${uuid}`));
      for (const answer of await Promise.all(pings)) expect(await answer.text()).toBe('OK');
    }
    for (const slug of dump.slugs.slice(-5))
      await app.http.get(`/ping/${dump.pingKey}/${slug}/fail`).expect(200);
    for (const key of dump.keys) {
      const { body } = await app.http.get('/api/v3/checks/').set('X-Api-Key', key).expect(200);
      expect(body.checks).toHaveLength(checkCount);
      expect(body.checks[99]).toMatchObject({ name: 'Job 100', n_pings: 101, status: 'up' });
      expect(body.checks.filter(({ status }: { status: string }) => status === 'down')).toHaveLength(5);
    }
    const { badgeKey } = dump;
    const signature = signTag({ badgeKey, secret: formerSecret }, 'even');
    const badge = await app.http.get(`/badge/${badgeKey}/${signature}/even.json`).expect(200);
    expect(badge.body).toMatchObject({ status: 'down', total: checkCount / 2 });
    await app.http.get(unsubscribePath(dump.mailUuid)).expect(200);
  });
});

/** As Healthchecks puts it into the mails of a channel. */
function unsubscribePath(uuid: string): string {
  const token = createHash('sha256')
    .update(uuid + formerSecret)
    .digest('hex');
  const key = createHash('sha256').update(`alertssigner${formerSecret}`).digest();
  const signature = createHmac('sha256', key).update(`${token}:1xV7iE`).digest('base64url');
  return `/integrations/${uuid}/unsub/${token}:1xV7iE:${signature}/`;
}
