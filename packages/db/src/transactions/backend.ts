import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import type { Autocommit } from '../postgres/postgres-autocommit.js';

/** The ways into one database; each call is a transaction of its own. */
export interface Backend {
  readonly source: DataSource;
  /** Undefined on SQLite. */
  readonly autocommit: Autocommit | undefined;
  write<T>(work: (tx: EntityManager) => Promise<T>): Promise<T>;
  /** As `write`, with statements that may take long. */
  writeLong<T>(work: (tx: EntityManager) => Promise<T>): Promise<T>;
  read<T>(work: (tx: EntityManager) => Promise<T>): Promise<T>;
  /** As `read`, for statements that may take long or many of them. */
  readLong<T>(work: (tx: EntityManager) => Promise<T>): Promise<T>;
  /** As `write`, while no other process passes here and foreign keys do not hinder changes of the schema. */
  alter<T>(work: (runner: QueryRunner) => Promise<T>): Promise<T>;
  /** Runs a statement that no transaction may hold, however long it takes. */
  runOutsideTransaction(statement: string): Promise<void>;
  /** Statements that would bring the schema in line with the entities. */
  drift(): Promise<string[]>;
  /** Ends what is under way on a server by closing its connections; nothing to do on SQLite. */
  cut(reason: string): void;
  /** Closes at once, whatever is under way. */
  close(): Promise<void>;
}

/** Statements that TypeORM would run to make the schema what the entities say. */
export async function schemaStatements(source: DataSource): Promise<string[]> {
  const { upQueries } = await source.driver.createSchemaBuilder().log();
  return upQueries.map(({ query }) => query);
}

/** The runner of an open transaction. */
export function runnerOf(tx: EntityManager): QueryRunner {
  if (tx.queryRunner === undefined) throw new Error('not inside a transaction');
  return tx.queryRunner;
}
