import { LRUCache } from 'lru-cache';
import { HeldRows } from '../rows/cursor.js';

/** A prepared statement of better-sqlite3. */
interface Statement {
  /** Whether it returns rows. */
  readonly reader: boolean;
  all(...values: unknown[]): Record<string, unknown>[];
  run(...values: unknown[]): { readonly changes: number; readonly lastInsertRowid: number | bigint };
}

/** Part of the connection of better-sqlite3 that is used. */
export interface SqliteConnection {
  readonly inTransaction: boolean;
  pragma(text: string): unknown;
  prepare(text: string): Statement;
}

/** The answer in TypeORM's form: `raw` is the rows, or the id of the row inserted last. */
export interface Answer {
  readonly raw: unknown;
  readonly records: Record<string, unknown>[];
  readonly affected?: number;
}

/** Runs statements on one connection, in this thread or in another one. Errors are those of the driver. */
export interface Statements {
  answer(text: string, values: readonly unknown[]): Answer | Promise<Answer>;
}

/** The refusal of a statement after SQLite has rolled its transaction back. */
export class TransactionOver extends Error {
  override readonly name = 'TransactionOver';
}

// texts of one app, those with lists of several lengths among them
const maxPrepared = 500;

/**
 * Replaces `query` of TypeORM's runner: the same answers and errors, less the events and logs around each
 * statement, which took longer than most statements. Statements stay prepared, those used least recently being forgotten first.
 */
export class SqliteStatements implements Statements {
  private readonly connection: SqliteConnection;
  private readonly prepared = new LRUCache<string, Statement>({ max: maxPrepared });
  /** SQLite has rolled the transaction back on its own, and no one has said ROLLBACK since. */
  private isGivenUp = false;
  private readonly held = new HeldRows<Record<string, unknown>>();

  constructor(connection: SqliteConnection) {
    this.connection = connection;
  }

  answer(text: string, values: readonly unknown[]): Answer {
    if (this.isGivenUp) return this.afterTheEnd(text);
    const fetched = this.held.answer(text);
    if (fetched !== undefined) return { raw: fetched, records: fetched };
    const query = this.held.queryOf(text);
    if (query === undefined) return this.run(text, values);
    this.held.hold(this.run(query, values).records);
    return { raw: [], records: [] };
  }

  private run(text: string, values: readonly unknown[]): Answer {
    const wasInside = this.connection.inTransaction;
    try {
      const statement = this.prepare(text);
      const bound = values.map(bindable);
      if (statement.reader) {
        const records = statement.all(...bound);
        return { raw: records, records };
      }
      const { changes: affected, lastInsertRowid: raw } = statement.run(...bound);
      return { raw, records: [], affected };
    } catch (error) {
      this.isGivenUp = wasInside && !this.connection.inTransaction;
      throw error;
    }
  }

  /** Code that ignored the error must not continue without a transaction: each statement would commit alone. */
  private afterTheEnd(text: string): Answer {
    if (text !== 'ROLLBACK')
      throw new TransactionOver('the transaction is over: SQLite has rolled it back after an error');
    this.isGivenUp = false;
    return { raw: [], records: [] };
  }

  private prepare(text: string): Statement {
    const known = this.prepared.get(text);
    if (known !== undefined) return known;
    const statement = this.connection.prepare(text);
    this.prepared.set(text, statement);
    return statement;
  }
}

function bindable(value: unknown): unknown {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return value;
}
