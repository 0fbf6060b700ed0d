import type { Database } from '../database.js';
import { column } from '../tables/columns.js';
import { querySql } from './sql.js';

/** Reads the clock of the database, in milliseconds since 1970; undefined where that is the clock of this process. */
export function databaseClock(db: Database): (() => Promise<number>) | undefined {
  if (db.dialect.capabilities.isEmbedded) return undefined;
  const text = 'select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as ms';
  return async () =>
    (await db.read((tx) => querySql(tx, { ms: column.bigint() }, text)))[0]?.ms ?? Number.NaN;
}
