import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describeEachDialect } from '@certloop/db/testing';
import { expect, test } from 'vitest';
import { schema } from '../../src/database.js';

const latest = schema.migrations.at(-1)?.name ?? '';
const before = { ...schema, migrations: schema.migrations.slice(0, -1) };

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

async function run(file: string, words: string[], environment: Record<string, string>): Promise<Ran> {
  const path = fileURLToPath(new URL(`../../src/${file}.js`, import.meta.url));
  const child = spawn(process.execPath, [path, ...words], { env: environment });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, out, err };
}

describeEachDialect('migrations as a step of their own', (open) => {
  test('are waited for by the service and the other commands, and run by their command', async () => {
    const environment = {
      CHECK_MONITOR_DATABASE_URL: (await open(before)).url,
      CHECK_MONITOR_SECRET: 'a secret for tests only',
      CHECK_MONITOR_MIGRATE_AT_START: 'false',
      CHECK_MONITOR_PORT: '0',
    };
    const pending = {
      code: 1,
      out: '',
      err: `check-monitor: the database has migrations to run (${latest}): "check-monitor migrate" runs them\n`,
    };
    expect(await run('main', [], environment)).toEqual(pending);
    expect(await run('cli', ['user', 'list'], environment)).toEqual(pending);

    const migrated = await run('cli', ['migrate', '--json'], environment);
    expect(JSON.parse(migrated.out)).toEqual({ migrations: [latest] });
    expect(await run('cli', ['migrate'], environment)).toMatchObject({ code: 0, out: 'migrations: \n' });
    expect(await run('cli', ['user', 'list'], environment)).toMatchObject({ code: 0 });
  });

  test('are run by any command otherwise', async () => {
    const { url, database } = await open(before);
    const environment = {
      CHECK_MONITOR_DATABASE_URL: url,
      CHECK_MONITOR_SECRET: 'a secret for tests only',
    };
    expect(await run('cli', ['user', 'list'], environment)).toMatchObject({ code: 0 });
    await expect(database.pendingMigrations()).rejects.toThrow('of a later version');
  });
});

test('says in one line that the database cannot be opened', async () => {
  const environment = {
    CHECK_MONITOR_DATABASE_URL: 'sqlite:/dev/null/x/y',
    CHECK_MONITOR_SECRET: 'a secret for tests only',
  };
  const { code, err } = await run('main', [], environment);
  expect(code).toBe(1);
  expect(err).toMatch(/^check-monitor: cannot write the database .*\n$/);
});
