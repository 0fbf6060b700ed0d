import { InvariantFailed } from '@certloop/contracts';
import type { EntityManager, QueryRunner } from 'typeorm';
import { withoutValues } from '../faults/failures.js';

/** One caller's own way to the database, for one transaction. */
export interface Session {
  readonly runner: QueryRunner;
  /** A statement of the session itself, also once the caller is shut out. */
  control(statement: string): Promise<void>;
  /** Shuts the caller out and waits for what still runs; true when something did. */
  seal(): Promise<boolean>;
  /** Returns what `work` returns; rejects once the caller has run no statement for `ms`. */
  whileActive<T>(ms: number, work: Promise<T>): Promise<T>;
}

/** The runner behind a guard: after `seal` nothing of the caller can slip into another's transaction. */
export function startSession(runner: QueryRunner): Session {
  const query = runner.query.bind(runner) as (...call: unknown[]) => Promise<unknown>;
  const running = new Set<Promise<unknown>>();
  let isOpen = true;
  let lastEnd = performance.now();
  const guarded = (...call: unknown[]): Promise<unknown> => {
    if (!isOpen)
      return Promise.reject(
        new InvariantFailed('statement after the end of its transaction: missing await?'),
      );
    const result = query(...call);
    const ended = () => {
      running.delete(result);
      lastEnd = performance.now();
    };
    running.add(result);
    result.then(ended, ended);
    return result;
  };
  Object.assign(runner, { query: guarded });
  return {
    runner,
    control: async (statement) => void (await query(statement)),
    seal: async () => {
      isOpen = false;
      const wasBusy = running.size > 0;
      await Promise.allSettled(running);
      return wasBusy;
    },
    whileActive: (ms, work) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const idleMs = running.size > 0 ? 0 : performance.now() - lastEnd;
          if (idleMs >= ms)
            reject(new Error(`the transaction was given up, as it ran no statement for ${ms} ms`));
          else timer = setTimeout(check, Math.ceil(ms - idleMs));
        };
        let timer = setTimeout(check, ms);
        work.then(resolve, reject).finally(() => clearTimeout(timer));
      }),
  };
}

/** How the transaction of a session begins and ends. */
export interface Bounds {
  readonly begin: () => Promise<void>;
  readonly commit: () => Promise<void>;
  /** `ROLLBACK` when absent. */
  readonly rollback?: () => Promise<void>;
}

/** Returns what `work` returns, once committed; throws what it throws, after the rollback. */
export async function inTransaction<T>(
  session: Session,
  bounds: Bounds,
  work: (tx: EntityManager) => Promise<T>,
): Promise<T> {
  try {
    await bounds.begin();
    // TypeORM then makes savepoints of the transactions it nests
    Object.assign(session.runner, { isTransactionActive: true, transactionDepth: 1 });
    const result = await work(session.runner.manager);
    if (await session.seal())
      throw new InvariantFailed('a statement outlived its transaction: missing await?');
    await bounds.commit();
    return result;
  } catch (error) {
    await session.seal();
    // the connection may be gone with its transaction; the first error says why
    const rollback = bounds.rollback ?? (() => session.control('ROLLBACK'));
    await rollback().catch(() => undefined);
    throw withoutValues(error);
  }
}
