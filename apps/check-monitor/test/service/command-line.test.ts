import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Database } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { defaultSettings, newCheck } from '../../src/checks/check.js';
import { insertCheck } from '../../src/checks/rows/checks.repository.js';
import { runCommandLine } from '../../src/command-line.js';
import { schema } from '../../src/database.js';
import { startRecorder } from '../support/recorder.js';

const cli = fileURLToPath(new URL('../../service/cli.js', import.meta.url));

interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

type Run = (args: string, environment: Record<string, string>, input?: string) => Promise<Outcome>;

/** Runs the command in this process, where it starts in a hundredth of the time. */
const runCli: Run = async (args, environment, input = '') => {
  const said = { out: '', err: '' };
  const code = await runCommandLine(args.split(' '), {
    environment,
    print: (text) => {
      said.out += text;
    },
    complain: (text) => {
      said.err += text;
    },
    readInput: () => input,
  });
  return { code, ...said };
};

/** Runs the command as people do. */
const runProcess: Run = async (args, environment, input = '') => {
  const child = spawn(process.execPath, [cli, ...args.split(' ')], { env: environment });
  child.stdin.end(input);
  const ended = once(child, 'close');
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code]: (number | null)[] = await ended;
  return { code: code ?? null, out, err };
};

describeEachDialect('command line', (open) => {
  const environment = { CHECK_MONITOR_DATABASE_URL: '', CHECK_MONITOR_SECRET: 'a secret for tests only' };
  const run = (args: string, input?: string) => runCli(args, environment, input);

  let database: Database;

  beforeAll(async () => {
    const opened = await open(schema);
    database = opened.database;
    environment.CHECK_MONITOR_DATABASE_URL = opened.url;
  });

  test('sets up the same user and project again, with fresh API keys and the same ping key', async () => {
    const command = 'setup --owner ada@example.org --project Jobs --check-limit 1000000 --json';
    const first = JSON.parse((await runProcess(command, environment)).out);
    const again = JSON.parse((await run(command)).out);
    expect(first).toEqual({
      projectId: again.projectId,
      readWriteKey: expect.stringMatching(/^hcw_[A-Za-z0-9]{28}$/),
      readOnlyKey: expect.stringMatching(/^hcr_[A-Za-z0-9]{28}$/),
      pingKey: expect.stringMatching(/^[a-z0-9]{22}$/),
    });
    expect(again.readWriteKey).not.toBe(first.readWriteKey);
    expect(again.readOnlyKey).not.toBe(first.readOnlyKey);
    expect(again.pingKey).toBe(first.pingKey);
  });

  test('setup gives a service room for a million checks, unless its account has a limit', async () => {
    const limitOf = async (email: string) => {
      const users = JSON.parse((await run('user list --json')).out) as {
        email: string;
        checkLimit: number;
      }[];
      return users.find((user) => user.email === email)?.checkLimit;
    };
    await run('setup --owner ida@example.org --project Watch');
    expect(await limitOf('ida@example.org')).toBe(1_000_000);
    await run('user limit --email ida@example.org --check-limit 7');
    await run('setup --owner ida@example.org --project Watch');
    expect(await limitOf('ida@example.org')).toBe(7);
    await run('setup --owner ida@example.org --project Watch --check-limit 9');
    expect(await limitOf('ida@example.org')).toBe(9);
    await run('user create --email jon@example.org');
    await run('setup --owner jon@example.org --project Watch');
    expect(await limitOf('jon@example.org')).toBe(1_000_000);
  });

  test('setup without a project sets up cert-manager, and stores its keys as files', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'certloop-keys-'));
    const setup = `setup --owner leo@example.org --dir ${join(folder, 'keys')} --json`;
    const readAll = async () => {
      const files = (await readdir(join(folder, 'keys'))).sort();
      const contents = files.map(async (name) => [name, await readFile(join(folder, 'keys', name), 'utf8')]);
      return Object.fromEntries(await Promise.all(contents)) as Record<string, string>;
    };
    expect(JSON.parse((await run(setup)).out)).toMatchObject({ keys: 'created' });
    const first = await readAll();
    expect(first).toEqual({
      'monitor-canary-key': expect.stringMatching(/^hcw_/),
      'monitor-password': expect.stringMatching(/^.{24}$/),
      'monitor-ping-key': expect.stringMatching(/^[a-z0-9]{22}$/),
      'monitor-read-only-key': expect.stringMatching(/^hcr_/),
      'monitor-read-write-key': expect.stringMatching(/^hcw_/),
    });
    for (const name of Object.keys(first))
      expect((await stat(join(folder, 'keys', name))).mode & 0o777).toBe(0o600);
    const projects = JSON.parse((await run('project list --json')).out) as { name: string }[];
    expect(projects.map(({ name }) => name)).toEqual(expect.arrayContaining(['CertLoop', 'CertLoop canary']));
    expect(JSON.parse((await run(setup)).out)).toMatchObject({ keys: 'unchanged' });
    expect(await readAll()).toEqual(first);
    // those of another database
    await writeFile(join(folder, 'keys', 'monitor-read-write-key'), `hcw_${'A'.repeat(28)}`);
    expect(JSON.parse((await run(setup)).out)).toMatchObject({ keys: 'created' });
    expect(await readAll()).toMatchObject({ 'monitor-canary-key.former': first['monitor-canary-key'] });
    await rm(folder, { recursive: true });
  });

  test('creates user, project, key and channel one by one', async () => {
    await run('user create --email Ben@Example.org --check-limit 5');
    const { projectId } = JSON.parse(
      (await run('project create --owner ben@example.org --name Jobs --json')).out,
    );
    const key = await run(`key create --project ${projectId} --kind read-only`);
    expect(key).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^kind: read-only\nkey: hcr_\w{28}\n$/),
    });
    const url = '--url https://hook.example/';
    await run(`channel create --project ${projectId} --kind webhook --name ops ${url}`);
    expect((await run(`channel list --project ${projectId}`)).out).toContain('name: ops');
    expect((await run('user list')).out).toContain('email: ben@example.org\ncheckLimit: 5');
  });

  test('manages password, limits, members, keys and channels', async () => {
    await run('user create --email cleo@example.org');
    await run('user create --email dora@example.org');
    const made = await run('project create --owner cleo@example.org --name Jobs --json');
    const project = `--project ${JSON.parse(made.out).projectId}`;
    const said = (args: string, input?: string) => run(args, input).then(({ out, err }) => out + err);
    expect(
      await runProcess('user password --email cleo@example.org', environment, 'correct horse\n'),
    ).toMatchObject({ code: 0, out: expect.stringContaining('password: set'), err: '' });
    expect(await said('user password --email cleo@example.org', 'short\n')).toContain(
      'at least 8 characters',
    );
    expect(await said('user limit --email cleo@example.org --check-limit 7')).toContain('checkLimit: 7');
    expect(await said(`member add ${project} --email dora@example.org --role member`)).toContain(
      'role: member',
    );
    expect(await said(`member list ${project}`)).toContain('email: dora@example.org');
    expect(await said(`member remove ${project} --email dora@example.org`)).toContain('member: removed');
    expect(await said(`member remove ${project} --email dora@example.org`)).toContain('no such member');
    expect(await said(`key revoke ${project} --kind ping`)).toContain('key: revoked');
    const url = '--url https://hook.example/';
    const channel = await run(`channel create ${project} --kind webhook --name ops ${url} --json`);
    const { channelId, checks } = JSON.parse(channel.out);
    expect(checks).toBe(0);
    expect(await said(`channel delete ${project} --channel ${channelId}`)).toContain('channel: deleted');
    expect(await said(`channel list ${project}`)).toBe('');
  });

  test('tests a channel, whose webhook gets a POST that says what happened', async () => {
    const target = await startRecorder();
    const inside = { ...environment, CHECK_MONITOR_ALLOW_PRIVATE_TARGETS: 'true' };
    const { projectId } = JSON.parse(
      (await run('setup --owner hal@example.org --project Tested --json')).out,
    );
    const create = `channel create --project ${projectId} --kind webhook --name ops --url ${target.url}/hook --json`;
    expect(await run(create)).toMatchObject({
      code: 1,
      err: expect.stringContaining('CHECK_MONITOR_ALLOW_PRIVATE_TARGETS=true allows it'),
    });
    const { channelId } = JSON.parse((await runCli(create, inside)).out);
    const command = `channel test --project ${projectId} --channel ${channelId}`;
    expect(await runCli(command, inside)).toEqual({
      code: 0,
      out: `channelId: ${channelId}\ntest: delivered\n`,
      err: '',
    });
    expect(target.requests[0]).toMatchObject({
      method: 'POST',
      path: '/hook',
      headers: { 'content-type': 'application/json' },
    });
    expect(JSON.parse(target.requests[0]?.body ?? '')).toEqual({
      check: 'TEST',
      status: 'down',
      exit_status: -1,
      body: '',
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/),
    });
    target.answer((response) => response.writeHead(500).end());
    expect(await runCli(command, inside)).toEqual({
      code: 1,
      out: '',
      err: 'check-monitor: the test message did not arrive: Received status code 500\n',
    });
    await target.close();
  });

  test('assigns a new channel to all checks of the project, unless --no-assign is given', async () => {
    const setup = await run('setup --owner eve@example.org --project Jobs --json');
    const { projectId } = JSON.parse(setup.out);
    await database.transaction(async (tx) => {
      const origin = { projectId, uuid: randomUUID(), badgeUuid: randomUUID(), createdAt: 0 };
      await insertCheck(tx, newCheck(defaultSettings, origin));
    });
    const create = `channel create --project ${projectId} --kind webhook --name ops --url https://hook.example/`;
    expect((await run(create)).out).toMatch(/^channelId: .*\nchecks: 1\n$/);
    expect((await run(`${create} --no-assign`)).out).toMatch(/^channelId: .*\nchecks: 0\n$/);
    const room = `channel create --project ${projectId} --kind matrix --name room --settings {"roomId":"!a:example.org"}`;
    expect(await run(room)).toMatchObject({
      out: expect.stringMatching(/warning: the service must be started with CHECK_MONITOR_MATRIX_HOMESERVER/),
      err: '',
    });
  });

  test('accepts the name of a project if it is unique', async () => {
    await run('setup --owner finn@example.org --project Unique');
    const create = (project: string) =>
      run(`channel create --project ${project} --kind webhook --name ops --url https://hook.example/`);
    expect(await create('Unique')).toMatchObject({ code: 0, err: '' });
    await run('setup --owner gus@example.org --project Unique');
    const refused = await create('Unique');
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.err).toMatch(
      /several projects are named Unique; give one of these ids: [\w-]{36}, [\w-]{36}\n/,
    );
  });

  test('names an unknown owner and an unknown project', async () => {
    const owner = await run('project create --owner x@example.org --name n');
    expect(owner).toMatchObject({ code: 1, err: 'check-monitor: there is no user x@example.org\n' });
    const project = await run('key create --project x --kind ping');
    expect(project).toMatchObject({ code: 1, err: 'check-monitor: there is no project x\n' });
  });
});

describe('command line', () => {
  const environment = {
    CHECK_MONITOR_DATABASE_URL: 'sqlite::memory:',
    CHECK_MONITOR_SECRET: 'a secret for tests only',
  };

  test.each([
    ['an unknown command', 'user destroy', 2, 'there is no command'],
    ['a missing option', 'user create', 2, '--email is missing'],
    ['an unknown option', 'user list --colour red', 2, 'colour'],
    ['an unknown kind', 'key create --project x --kind admin', 2, '--kind must be one of'],
    [
      'a limit that is not a number',
      'user create --email a@b --check-limit many',
      2,
      '--check-limit must be',
    ],
    ['an invalid e-mail address', 'user create --email unknown', 1, 'is not an e-mail address'],
  ])('%s: code and sentence', async (_situation, args, code, sentence) => {
    const outcome = await runCli(args, environment);
    expect(outcome.err).toContain(sentence);
    expect(outcome.err).not.toContain('    at ');
    expect(outcome.code).toBe(code);
  });

  describe('where the database does not exist', () => {
    let folder: string;
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'certloop-no-database-'));
    });
    afterEach(() => rm(folder, { recursive: true }));

    const at = (path: string) => ({
      ...environment,
      CHECK_MONITOR_DATABASE_URL: `sqlite:${join(folder, path)}`,
    });
    const way =
      'set CHECK_MONITOR_DATABASE_URL to the database of the service, or create the database with migrate';

    test.each(['user list', 'user create --email ada@example.org', 'import --file dump.json'])(
      '%s is refused, and no file is created',
      async (args) => {
        const reason = `the database ${folder}/data/app.sqlite does not exist`;
        const refused = { code: 1, out: '', err: `check-monitor: ${reason}; ${way}\n` };
        expect(await runCli(args, at('data/app.sqlite'))).toEqual(refused);
        await writeFile(join(folder, 'plain'), '');
        expect((await runCli(args, at('plain/app.sqlite'))).err).toContain('app.sqlite does not exist; set ');
        expect(await readdir(folder)).toEqual(['plain']);
      },
    );

    test('an empty file is refused too', async () => {
      await writeFile(join(folder, 'empty'), '');
      const err = `check-monitor: the database ${folder}/empty has no tables; ${way}\n`;
      expect(await runCli('project list', at('empty'))).toEqual({ code: 1, out: '', err });
    });

    test.each([
      ['setup --owner ada@example.org --project Jobs', 'readWriteKey: hcw_'],
      ['migrate', 'migrations: 0001-initial'],
    ])('%s creates it and names it', async (args, printed) => {
      expect(await runCli(args, at('app.sqlite'))).toEqual({
        code: 0,
        out: expect.stringContaining(printed),
        err: `check-monitor: the database ${folder}/app.sqlite is new\n`,
      });
      expect(await runCli('user list', at('app.sqlite'))).toMatchObject({ code: 0, err: '' });
    });
  });

  test('exits with the code', async () => {
    expect(await runProcess('user destroy', environment)).toMatchObject({ code: 2, out: '' });
  });

  test('says what is wrong with the configuration', async () => {
    const outcome = await runProcess('user list', { CHECK_MONITOR_SECRET: 'short' });
    expect(outcome).toMatchObject({ code: 1, err: expect.stringContaining('at least 16 characters') });
    expect(outcome.err).not.toContain('short\n');
  });

  (existsSync('/dev/full') ? test : test.skip)('fails in one line when its output has no room', () => {
    const ran = spawnSync(process.execPath, [cli, '--help'], {
      stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
      encoding: 'utf8',
    });
    expect(ran.status).toBe(1);
    expect(ran.stderr).toMatch(/^check-monitor: standard output cannot be written: ENOSPC: .*\n$/);
  });

  test('prints help', async () => {
    expect(await runProcess('--help', environment)).toMatchObject({
      code: 0,
      out: expect.stringContaining('Usage: check-monitor'),
    });
  });
});
