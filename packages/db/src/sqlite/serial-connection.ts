import pLimit from 'p-limit';
import { type DataSource, type EntityManager, QueryFailedError, type QueryRunner } from 'typeorm';
import { beginWhenFree, type Waiting } from '../transactions/retry.js';
import { inTransaction, type Session, startSession } from '../transactions/runner.js';
import { type Statements, TransactionOver } from './sqlite-statements.js';

// more than lie between the end of a transaction's work and the look at what still runs
const turnsOfAnswer = 3;

/** One connection, for one caller at a time. */
export class SerialConnection {
  /** How many callers are there or wait. */
  callers = 0;
  private readonly source: DataSource;
  private readonly oneAtATime = pLimit(1);
  private readonly statements: Statements;

  /** `source` knows the tables; `statements` are run instead of its own. */
  constructor(source: DataSource, statements: Statements) {
    this.source = source;
    this.statements = statements;
  }

  async alone<T>(work: () => Promise<T>): Promise<T> {
    this.callers += 1;
    try {
      return await this.oneAtATime(work);
    } finally {
      this.callers -= 1;
    }
  }

  /** Work that runs no statement for `idleMs` is given up; any may take its time when absent. */
  transaction<T>(
    begin: string,
    work: (tx: EntityManager) => Promise<T>,
    idleMs?: number,
    waiting?: Waiting,
  ): Promise<T> {
    const session = this.newSession();
    const bounded = (tx: EntityManager) =>
      idleMs === undefined ? work(tx) : session.whileActive(idleMs, work(tx));
    return inTransaction(
      session,
      {
        begin: () => beginWhenFree(() => session.control(begin), waiting),
        commit: () => session.control('COMMIT'),
      },
      bounded,
    );
  }

  /**
   * TypeORM's driver would give the same runner to all callers, so that overlapping transactions became savepoints of
   * each other and the rollback of one took the rows of all.
   */
  newSession(): Session {
    const driver = this.source.driver as unknown as { queryRunner: QueryRunner | undefined };
    driver.queryRunner = undefined;
    const runner = this.source.createQueryRunner();
    driver.queryRunner = undefined;
    const query = (text: string, values?: readonly unknown[], isStructured?: boolean) =>
      this.query(text, values, isStructured);
    Object.assign(runner, { query });
    return startSession(runner);
  }

  private async query(text: string, values: readonly unknown[] = [], isStructured = false): Promise<unknown> {
    try {
      const answering = this.statements.answer(text, values);
      const answer = answering instanceof Promise ? await answering : answering;
      // a statement that is not awaited must not have ended when its caller has: that is how it is noticed
      for (let turn = 0; turn < turnsOfAnswer; turn += 1) await undefined;
      return isStructured ? answer : answer.raw;
    } catch (error) {
      if (error instanceof TransactionOver) throw error;
      throw new QueryFailedError(text, [...values], error as Error);
    }
  }
}

/** The connection that the fewest callers wait for. */
export function pickIdlestConnection(
  connections: readonly [SerialConnection, ...SerialConnection[]],
): SerialConnection {
  return connections.reduce((best, one) => (one.callers < best.callers ? one : best));
}
