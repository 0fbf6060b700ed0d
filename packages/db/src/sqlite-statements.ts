import { QueryFailedError } from 'typeorm';

/** A prepared statement of better-sqlite3. */
interface Statement {
  /** Whether it returns rows. */
  readonly reader: boolean;
  all(...values: unknown[]): Record<string, unknown>[];
  run(...values: unknown[]): { readonly changes: number; readonly lastInsertRowid: number | bigint };
}

/** What is used of better-sqlite3's connection. */
export interface SqliteConnection {
  readonly inTransaction: boolean;
  pragma(text: string): unknown;
  prepare(text: string): Statement;
}

/** The answer in TypeORM's form: `raw` is the rows, or the id of the row inserted last. */
interface Answer {
  readonly raw: unknown;
  readonly records: Record<string, unknown>[];
  readonly affected?: number;
}

// more than lie between the end of a transaction's work and the look at what still runs
const turnsOfAnswer = 3;
// texts of one app, those with lists of several lengths among them
const mostPrepared = 500;

/**
 * Takes the place of `query` of TypeORM's runner: the same answers and errors, less the events and logs around each
 * statement, which took longer than most statements. Statements stay prepared, the oldest being forgotten first.
 */
export class SqliteStatements {
  private readonly connection: SqliteConnection;
  private readonly prepared = new Map<string, Statement>();
  /** SQLite has rolled the transaction back by itself, and nobody has said ROLLBACK since. */
  private isGivenUp = false;

  constructor(connection: SqliteConnection) {
    this.connection = connection;
  }

  async query(text: string, values: readonly unknown[] = [], isStructured = false): Promise<unknown> {
    const answer = this.answer(text, values.map(bindable));
    // a statement that nobody awaits must not have ended when its caller has: that is how it is noticed
    for (let turn = 0; turn < turnsOfAnswer; turn += 1) await undefined;
    return isStructured ? answer : answer.raw;
  }

  private answer(text: string, values: readonly unknown[]): Answer {
    if (this.isGivenUp) return this.afterTheEnd(text);
    const wasInside = this.connection.inTransaction;
    try {
      const statement = this.prepare(text);
      if (statement.reader) {
        const records = statement.all(...values);
        return { raw: records, records };
      }
      const { changes: affected, lastInsertRowid: raw } = statement.run(...values);
      return { raw, records: [], affected };
    } catch (error) {
      this.isGivenUp = wasInside && !this.connection.inTransaction;
      throw new QueryFailedError(text, [...values], error as Error);
    }
  }

  /** Whoever dropped the error must not go on without a transaction: each statement would be one of its own. */
  private afterTheEnd(text: string): Answer {
    if (text !== 'ROLLBACK')
      throw new Error('the transaction is over: SQLite has rolled it back after an error');
    this.isGivenUp = false;
    return { raw: [], records: [] };
  }

  private prepare(text: string): Statement {
    const known = this.prepared.get(text);
    if (known !== undefined) return known;
    const statement = this.connection.prepare(text);
    this.prepared.set(text, statement);
    const [oldest] = this.prepared.keys();
    if (oldest !== undefined && this.prepared.size > mostPrepared) this.prepared.delete(oldest);
    return statement;
  }
}

function bindable(value: unknown): unknown {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return value;
}
