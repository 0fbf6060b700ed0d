import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager, QueryRunner } from 'typeorm';
import { DatabaseUnavailable, driverCode } from '../faults/failures.js';
import { runnerOf } from '../transactions/backend.js';

// any number, the same in every process of every app; locks are per database
const migrationLock = 4_716_001;

const pauseMs = 500;
const reportMs = 30_000;
const maxAttempts = 60;

class Locked extends Error {}

/** The work of a migration under the lock that migrations of other processes respect; throws when it is taken. */
export async function underMigrationLock<T>(
  tx: EntityManager,
  lockMs: number,
  work: (runner: QueryRunner) => Promise<T>,
): Promise<T> {
  // asked for and not waited for: a server does not notice that a process is gone that waits for a lock. It belongs to
  // the transaction, since a connection pooler gives the next transaction another session
  const [row] = await tx.query<{ isTaken: boolean }[]>('select pg_try_advisory_xact_lock($1) as "isTaken"', [
    migrationLock,
  ]);
  if (row?.isTaken !== true) throw new Locked();
  // a statement that waits for a table holds up all that come after it, so a migration waits only briefly
  await tx.query(`set local lock_timeout = ${lockMs}`);
  return work(runnerOf(tx));
}

/**
 * Repeats `attempt`, a whole transaction, while another process migrates or while its tables are in use. Throws
 * DatabaseUnavailable when tables stay in use for a quarter of an hour or so.
 */
export async function whenUnlocked<T>(
  attempt: () => Promise<T>,
  onWait: (reason: string) => void,
): Promise<T> {
  let reportedAt = Number.NEGATIVE_INFINITY;
  const report = (reason: string) => {
    if (performance.now() - reportedAt < reportMs) return;
    reportedAt = performance.now();
    onWait(reason);
  };
  for (let refusals = 0; ; ) {
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof Locked) {
        report('another process migrates the database');
        await sleep(pauseMs * (0.5 + Math.random()));
        continue;
      }
      // lock_not_available, deadlock_detected
      if (!['55P03', '40P01'].includes(driverCode(error) ?? '')) throw error;
      refusals += 1;
      if (refusals === maxAttempts) throw inUse(error);
      report('long statements use the tables that the migration changes; it is tried again');
      await sleep(Math.min(pauseMs * refusals, 15_000));
    }
  }
}

function inUse(cause: unknown): DatabaseUnavailable {
  return new DatabaseUnavailable(
    'the migration found its tables in use each time: end long transactions (pg_stat_activity) and start again',
    { cause },
  );
}
