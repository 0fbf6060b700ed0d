import { type AutocommitStatement, keepsPrepared, type Tx } from '@certloop/db';

// The most frequent statements bypass TypeORM, which costs more than they do; they run in the current transaction.

type SqliteValue = string | number | Buffer | null;

/** A statement of SQLite, prepared once for each connection. */
export interface SqliteStatement {
  run(...values: SqliteValue[]): { readonly changes: number };
  /** The first row as the array of its columns. */
  get(...values: SqliteValue[]): readonly unknown[] | undefined;
}

interface SqliteConnection {
  prepare(text: string): SqliteStatement & { readonly reader: boolean; raw(): SqliteStatement };
}

const prepared = new WeakMap<SqliteConnection, Map<string, SqliteStatement>>();

/** Statement with placeholders `?`, on SQLite. */
export function sqliteStatement(tx: Tx, text: string): SqliteStatement {
  const { databaseConnection } = tx.dataSource.driver as unknown as { databaseConnection: SqliteConnection };
  const known = prepared.get(databaseConnection) ?? new Map<string, SqliteStatement>();
  prepared.set(databaseConnection, known);
  const statement = known.get(text) ?? prepare(databaseConnection, text);
  known.set(text, statement);
  return statement;
}

function prepare(connection: SqliteConnection, text: string): SqliteStatement {
  const statement = connection.prepare(text);
  return statement.reader ? statement.raw() : statement;
}

interface PostgresClient {
  query(query: object): Promise<{ readonly rows: readonly (readonly unknown[])[] }>;
}

/**
 * Rows, as arrays of their columns, of a statement that PostgreSQL prepares once for each connection by its name, or
 * again each time behind a connection pooler.
 */
export async function runPrepared(
  tx: Tx,
  statement: AutocommitStatement,
  values: readonly string[],
): Promise<readonly (readonly unknown[])[]> {
  if (tx.queryRunner === undefined) throw new Error('not inside a transaction');
  const client = (await tx.queryRunner.connect()) as PostgresClient;
  const { text } = statement;
  const prepared = keepsPrepared(client) ? statement : { text };
  return (await client.query({ ...prepared, values, rowMode: 'array' })).rows;
}
