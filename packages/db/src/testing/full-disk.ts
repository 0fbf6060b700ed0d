import type { Database, Tx } from '../database.js';

/**
 * Makes every write that needs room fail as on a full disk; returns what makes room again. SQLite gets no further page.
 * PostgreSQL would need a disk of its own, so triggers raise what it raises then.
 */
export async function fillDiskOf(database: Database): Promise<() => Promise<void>> {
  return database.dialect.name === 'sqlite' ? fillSqlite(database) : fillPostgres(database);
}

async function fillSqlite(database: Database): Promise<() => Promise<void>> {
  const [row] = await database.read(
    (tx) => tx.query('pragma page_count') as Promise<{ page_count: number }[]>,
  );
  const limit = (pages: number) => (tx: Tx) => tx.query(`pragma max_page_count = ${pages}`);
  await database.transaction(async (tx) => {
    await tx.query('create table if not exists ballast (filler text)');
    await limit((row?.page_count ?? 0) + 8)(tx);
  });
  const load = async (bytes: number) => {
    const filling = `insert into ballast values ('${'x'.repeat(bytes)}')`;
    try {
      for (;;) await database.transaction((tx) => tx.query(filling));
    } catch {
      // full
    }
  };
  // pages that are free within the file take small rows
  await load(20_000);
  await load(3_000);
  return async () => {
    await database.transaction(limit(1_000_000));
    await database.transaction((tx) => tx.query('drop table ballast'));
  };
}

const refusal = `create or replace function refuse_for_full_disk() returns trigger language plpgsql as $body$
  begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $body$`;

const refuseAll = `do $body$ declare name text; begin
  for name in select tablename from pg_tables where schemaname = current_schema() loop
    execute format('create trigger full_disk before insert or update on %I
      for each statement execute function refuse_for_full_disk()', name);
  end loop; end $body$`;

async function fillPostgres(database: Database): Promise<() => Promise<void>> {
  await database.transaction(async (tx) => {
    await tx.query(refusal);
    await tx.query(refuseAll);
  });
  return () => database.transaction((tx) => tx.query('drop function refuse_for_full_disk() cascade'));
}
