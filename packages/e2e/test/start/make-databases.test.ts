import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Database, openDatabase } from '@certloop/db';
import { describeOnPostgres, startPostgres } from '@certloop/db/testing';
import { hasProgram } from '@certloop/server/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

const execute = promisify(execFile);
const checkout = fileURLToPath(new URL('../../../../..', import.meta.url));
const services = [
  { service: 'cert-manager', name: 'cert_manager', setting: 'CERT_MANAGER_DATABASE_URL', table: 'spaces' },
  {
    service: 'check-monitor',
    name: 'check_monitor',
    setting: 'CHECK_MONITOR_DATABASE_URL',
    table: 'projects',
  },
] as const;
const reason = 'docker/make-databases.sh is not run';
const isRunnable = hasProgram('psql', reason) && hasProgram('bash', reason);
const testIf = isRunnable ? test : test.skip;

describeOnPostgres('docker/make-databases.sh', () => {
  let secrets: string;
  let server: Awaited<ReturnType<typeof startPostgres>>;
  beforeAll(async () => {
    secrets = await mkdtemp(join(tmpdir(), 'certloop-databases-'));
    for (const name of ['postgres', 'cert-manager-database', 'check-monitor-database'])
      await writeFile(join(secrets, `${name}-password`), `word of ${name}'s`);
    server = await startPostgres();
  });
  afterAll(async () => {
    await server.stop();
    await rm(secrets, { recursive: true });
  });

  const urlOf = (role: string, database: string) => {
    const { host } = new URL(server.url);
    return `postgres://${role}@${host}/${database}`;
  };
  const withDatabase = async <T>(url: string, work: (database: Database) => Promise<T>): Promise<T> => {
    const database = await openDatabase({ url, schema: { entities: () => [], migrations: [] }, poolSize: 1 });
    return work(database).finally(() => database.close());
  };
  const run = (url: string, statement: string) =>
    withDatabase(url, (database) => database.runOutsideTransaction(statement));
  const ask = (url: string, query: string): Promise<Record<string, unknown>[]> =>
    withDatabase(url, (database) => database.read((tx) => tx.query(query)));
  const make = () => {
    const { hostname, port } = new URL(server.url);
    const env = { ...process.env, PGHOST: hostname, PGPORT: port, PGUSER: 'postgres' };
    return execute('bash', [join(checkout, 'docker/make-databases.sh'), secrets], { env });
  };
  const migrate = (role: string, { service, name, setting }: (typeof services)[number]) =>
    execute(process.execPath, [join(checkout, 'apps', service, 'dist/service/cli.js'), 'migrate'], {
      env: {
        PATH: process.env['PATH'],
        [setting]: urlOf(role, name),
        CHECK_MONITOR_SECRET: 'a secret for tests only',
      },
    });
  const foreign = (name: string) =>
    ask(
      urlOf('postgres', name),
      `select relname from pg_class join pg_namespace on pg_namespace.oid = relnamespace
       where nspname = 'public' and relowner <> '${name}'::regrole`,
    );

  testIf('hands over what the superuser owned, and keeps the rows', async () => {
    for (const each of services) {
      await run(server.url, `create database ${each.name}`);
      await migrate('postgres', each);
      const old = urlOf('postgres', each.name);
      await run(old, 'create table parted (id int) partition by range (id)');
      await run(old, 'create table part partition of parted for values from (0) to (9)');
      await run(old, 'insert into parted values (1)');
      await run(old, 'create view seen as select * from parted');
      await run(old, 'create function one() returns int language sql as $$ select 1 $$');
    }
    await make();
    for (const each of services) {
      expect(await foreign(each.name)).toEqual([]);
      const owner = urlOf(each.name, each.name);
      expect(await ask(owner, 'select * from seen')).toEqual([{ id: 1 }]);
      // what only an owner may do
      await run(owner, `alter table ${each.table} add column added int`);
      for (const one of ['function one()', 'view seen', 'table parted']) await run(owner, `drop ${one}`);
    }
  });

  testIf('changes nothing when it runs again, and new databases belong to their roles', async () => {
    const roles = () =>
      ask(server.url, 'select rolname, rolsuper, rolcreatedb, rolcreaterole from pg_roles order by 1');
    const before = await roles();
    await make();
    expect(await roles()).toEqual(before);
    for (const each of services) {
      await run(server.url, `drop database ${each.name}`);
    }
    await make();
    for (const each of services) {
      await migrate(each.name, each);
      expect(await foreign(each.name)).toEqual([]);
    }
  });

  testIf.each([...services])(
    'makes $name no superuser, and keeps it out of the other database',
    async ({ name }) => {
      const [role] = await ask(server.url, `select * from pg_roles where rolname = '${name}'`);
      expect(role).toMatchObject({
        rolsuper: false,
        rolcreatedb: false,
        rolcreaterole: false,
        rolcanlogin: true,
      });
      const other = services.find((each) => each.name !== name)?.name ?? '';
      await expect(ask(urlOf(name, other), 'select 1')).rejects.toThrow('permission denied for database');
    },
  );

  testIf('names the password that is missing', async () => {
    await rm(join(secrets, 'check-monitor-database-password'));
    await expect(make()).rejects.toThrow('check-monitor-database-password');
  });
});
