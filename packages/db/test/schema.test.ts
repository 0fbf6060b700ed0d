import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeEach, expect, test } from 'vitest';
import { addColumns, column, insertMany, type Migration, openDatabase, type Schema } from '../src/index.js';
import { describeEachDialect, type TestDatabase, testDatabaseUrl } from '../src/testing.js';
import { customer, namesIn } from './support/rows.js';
import { customers, orders, shop } from './support/shop.js';

const run = promisify(execFile);
const visitor = fileURLToPath(new URL('./support/visitor.js', import.meta.url));

const second: Migration = {
  name: '0002-mottos',
  up: (runner, dialect) =>
    addColumns(runner, dialect, 'customers', { favouriteMotto: column.text().nullable() }),
  down: (runner) => runner.dropColumn('customers', 'favourite_motto'),
};

const bySql: Migration = {
  name: '0003-pen-names',
  up: async (runner) => {
    await runner.query('alter table customers add column pen_name text');
    await runner.query("update customers set pen_name = 'Countess'");
  },
  down: async (runner) => void (await runner.query('alter table customers drop column pen_name')),
};

const third: Migration = {
  name: '0004-tunes',
  up: (runner, dialect) => addColumns(runner, dialect, 'customers', { tune: column.text().nullable() }),
  down: (runner) => runner.dropColumn('customers', 'tune'),
};

const failing: Migration = {
  name: '0003-failing',
  up: async (runner) => void (await runner.query('select * from nowhere')),
  down: () => Promise.resolve(),
};

const withMigrations = (...migrations: Migration[]): Schema => ({ ...shop, migrations });

describeEachDialect('the schema', (open, dialect) => {
  let made: TestDatabase;
  beforeEach(async () => {
    made = await open(shop);
  });

  const at = async <T>(schema: Schema, work: (database: TestDatabase['database']) => Promise<T>) => {
    const database = await openDatabase({ url: made.url, schema });
    return work(database).finally(() => database.close());
  };

  test('has no drift after its migrations, and some before', async () => {
    expect(await made.database.schemaDrift()).toEqual([]);
    await made.database.revertLast();
    expect((await made.database.schemaDrift()).join('\n')).toMatch(/create table "orders"/i);
  });

  test('drifts when a migration creates what no entity declares', async () => {
    const drift = await at(withMigrations(...shop.migrations, second), async (database) => {
      expect(await database.pendingMigrations()).toEqual(['0002-mottos']);
      expect(await database.migrate()).toEqual(['0002-mottos']);
      return database.schemaDrift();
    });
    expect(drift).not.toEqual([]);
  });

  test('migrates down and up again', async () => {
    await made.database.revertLast();
    await made.database.revertLast();
    expect(await made.database.pendingMigrations()).toEqual(['0001-initial']);
    expect(await made.database.migrate()).toEqual(['0001-initial']);
    expect(await made.database.migrate()).toEqual([]);
    expect(await made.database.schemaDrift()).toEqual([]);
  });

  test('changes a table without losing the rows that refer to it', async () => {
    const ada = customer();
    await made.database.transaction(async (tx) => {
      await insertMany(tx, customers, [ada]);
      await insertMany(tx, orders, [{ customerId: ada.id, status: 'open', note: '', seenAt: 0 }]);
    });
    await at(withMigrations(...shop.migrations, second), async (database) => {
      await database.migrate();
      await database.revertLast();
    });
    expect(await made.database.read((tx) => tx.count(orders))).toBe(1);
    await made.database.transaction((tx) => tx.delete(customers, { id: ada.id }));
    expect(await made.database.read((tx) => tx.count(orders))).toBe(0);
  });

  test('adds a column without losing one that an earlier migration of the same run added by SQL', async () => {
    await made.database.transaction((tx) => insertMany(tx, customers, [customer()]));
    const rows = await at(withMigrations(...shop.migrations, second, bySql, third), async (database) => {
      await database.migrate();
      return database.read((tx) => tx.query('select pen_name, tune from customers'));
    });
    expect(rows).toEqual([{ pen_name: 'Countess', tune: null }]);
  });

  test('rolls back all migrations when one fails', async () => {
    const schema = withMigrations(...shop.migrations, second, failing);
    await at(schema, async (database) => {
      await expect(database.migrate()).rejects.toThrow(/nowhere/);
      expect(await database.pendingMigrations()).toEqual(['0002-mottos', '0003-failing']);
    });
  });

  test('refuses to serve a database of a later version', async () => {
    await at(withMigrations(...shop.migrations, second), (database) => database.migrate());
    await expect(made.database.migrate()).rejects.toThrow(
      'the database is of a later version: it has 0002-mottos',
    );
  });

  test('serves on while a later version migrates its database', async () => {
    const { database } = made;
    expect(await database.findFaultOrMigration()).toBeUndefined();
    await at(withMigrations(...shop.migrations, second), (later) => later.migrate());
    expect(await database.findFaultOrMigration()).toBeUndefined();
    await at(withMigrations(...shop.migrations, second), async (later) => {
      await later.revertLast();
      expect(await later.findFaultOrMigration()).toBe('the database has migrations to run');
    });
  });

  test("refuses another service's database", async () => {
    await expect(at(withMigrations(second), (database) => database.migrate())).rejects.toThrow(
      "the database is another service's: its migrations begin with 0001-initial",
    );
  });

  test('must have tables if the database must exist', async () => {
    const { url, drop } = await testDatabaseUrl(dialect);
    const options = { url, schema: shop, mustExist: true };
    const created = await openDatabase({ url, schema: shop });
    await expect(openDatabase(options)).rejects.toThrow(`the database ${created.shown} has no tables`);
    await created.migrate();
    const opened = await openDatabase(options);
    expect(await opened.pendingMigrations()).toEqual([]);
    await Promise.all([created.close(), opened.close()]);
    await drop();
  });

  test('is created once by handles and processes that start together', async () => {
    const { url, drop } = await testDatabaseUrl(dialect);
    const handles = await Promise.all([1, 2, 3].map(() => openDatabase({ url, schema: shop })));
    const processes = [1, 2].map(async () => {
      const { stdout } = await run(process.execPath, [visitor, 'migrate', url]);
      return JSON.parse(stdout) as string[];
    });
    const ran = await Promise.all([...handles.map((handle) => handle.migrate()), ...processes]);
    expect(ran.flat()).toEqual(['0001-initial']);
    const [handle] = handles;
    expect(handle === undefined ? undefined : await namesIn(handle)).toEqual([]);
    await Promise.all(handles.map((each) => each.close()));
    await drop();
  });
});
