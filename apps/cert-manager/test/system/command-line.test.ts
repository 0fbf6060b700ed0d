import { spawnSync } from 'node:child_process';
import { existsSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openDatabase } from '@certloop/db';
import { type TestAddress, testDatabaseUrl } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { schema } from '../../src/database.js';
import { cliFile, type Ran, runCli } from '../support/command-line.js';

let address: TestAddress;
const run = (words: readonly string[], input?: string): Promise<Ran> =>
  runCli(words, { CERT_MANAGER_DATABASE_URL: address.url }, input);

beforeAll(async () => {
  address = await testDatabaseUrl('sqlite');
});
afterAll(() => address.drop());

const eve = ['--username', 'eve', '--email', 'eve@example.org'];

test('refuses a database that does not exist, and creates no file', async () => {
  const file = join(dirname(address.url.replace('sqlite:', '')), 'wrong', 'app.sqlite');
  expect(await runCli(['keys', 'rotate'], { CERT_MANAGER_DATABASE_URL: `sqlite:${file}` })).toEqual({
    code: 1,
    stdout: '',
    stderr: `cert-manager: the database ${file} does not exist; set CERT_MANAGER_DATABASE_URL to the database of the service, or create the database with migrate\n`,
  });
  expect(existsSync(dirname(file))).toBe(false);
});

test('creates the database with the first administrator, and names it', async () => {
  const other = await testDatabaseUrl('sqlite');
  const ann = ['--username', 'ann', '--email', 'ann@example.org'];
  expect(await runCli(['admin', 'create', ...ann], { CERT_MANAGER_DATABASE_URL: other.url })).toEqual({
    code: 0,
    stdout: expect.stringContaining('administrator ann created'),
    stderr: `cert-manager: the database ${other.url.replace('sqlite:', '')} is new\n`,
  });
  await other.drop();
});

test('leaves migrations to their command if configured', async () => {
  const database = await openDatabase({ url: address.url, schema });
  await database.migrate();
  await database.revertLast();
  await database.close();
  const later = { CERT_MANAGER_DATABASE_URL: address.url, CERT_MANAGER_MIGRATE_AT_START: 'false' };
  const { code, stderr } = await runCli(['keys', 'rotate'], later);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('migrations to run') });
  expect(await runCli(['migrate'], later)).toMatchObject({ code: 0 });
  expect((await runCli(['keys', 'rotate'], later)).stderr).toContain('needs ENCRYPTION_KEYS');
});

test('names the provider that has no account or does not exist', async () => {
  const { code, stderr } = await run(['acme', 'new-key', '--provider', 'staging']);
  expect({ code, stderr }).toEqual({ code: 2, stderr: 'cert-manager: there is no provider staging\n' });
  expect((await run(['acme', 'new-key'])).stderr).toMatch(
    /there is no ACME provider: start the service first/,
  );
});

test('brings the database up to date', async () => {
  expect(await run(['migrate'])).toEqual({ code: 0, stdout: 'the database is up to date\n', stderr: '' });
});

test('creates an administrator and prints the generated password', async () => {
  const { code, stdout } = await run(['admin', 'create', '--username', 'ann', '--email', 'ann@example.org']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^administrator ann created\npassword: [\w-]{24}\n$/);
});

test('ensures an administrator, and does nothing the second time', async () => {
  const ensure = ['admin', 'ensure', ...eve, '--password-file', '-'];
  expect((await run(ensure, 'correct horse\n')).stdout).toBe('administrator eve created\n');
  expect((await run(ensure, 'correct horse\n')).stdout).toBe('administrator eve unchanged\n');
});

test('says why an account cannot be created', async () => {
  const { code, stderr } = await run(['admin', 'ensure', ...eve, '--password-file', '-'], 'short\n');
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'cert-manager: password: must have at least 8 characters\n',
  });
});

test('prints its help', async () => {
  const { code, stdout } = await run(['--help']);
  expect(code).toBe(0);
  expect(stdout).toContain('admin ensure');
});

test('lists every setting', async () => {
  const { code, stdout } = await run(['settings']);
  expect(code).toBe(0);
  expect(stdout).toContain('CERT_MANAGER_PORT\n    TCP port to listen on');
});

test.each([
  ['no command', [], 'name a command; see --help'],
  ['an unknown command', ['admin', 'destroy'], 'there is no command "admin destroy"; see --help'],
  ['no password to ensure', ['admin', 'ensure', ...eve], 'admin ensure needs --password-file'],
])('says what is wrong with %s', async (_, words, sentence) => {
  const { code, stderr } = await run(words);
  expect({ code, stderr }).toEqual({ code: 2, stderr: `cert-manager: ${sentence}\n` });
});

test('says that the database cannot be opened', async () => {
  const { code, stderr } = await runCli(['migrate'], { CERT_MANAGER_DATABASE_URL: 'sqlite:/dev/null/x/y' });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^cert-manager: cannot write the database .*\n$/);
});

(existsSync('/dev/full') ? test : test.skip)('fails in one line when its output has no room', () => {
  const ran = spawnSync(process.execPath, [cliFile, 'settings'], {
    stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
    encoding: 'utf8',
  });
  expect(ran.status).toBe(1);
  expect(ran.stderr).toMatch(/^cert-manager: standard output cannot be written: ENOSPC: .*\n$/);
});
