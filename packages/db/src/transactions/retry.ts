import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnavailable, driverCode, isTemporary } from '../faults/failures.js';

const attempts = 6;

/** Returns what `work` returns, run again up to five times while the database asks for it, 5 to 160 ms apart. */
export async function withRetries<T>(work: () => Promise<T>, onRetry: (reason: string) => void): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === attempts || !isTemporary(error)) throw error;
      onRetry(driverCode(error) ?? 'unknown');
      await sleep(5 * 2 ** (attempt - 1) * (0.5 + Math.random() / 2));
    }
  }
}

/** Whether another process holds a file; shared by all that write to it. */
export interface FileHold {
  /** First attempt that met the other process, in milliseconds of `performance.now()`; undefined while none does. */
  since: number | undefined;
}

export interface Waiting {
  /** When the caller asked for the transaction, which may have waited for others of this process before. */
  readonly askedAt?: number | undefined;
  readonly hold?: FileHold;
  readonly patienceMs?: number | undefined;
}

/**
 * Repeats `begin` every few milliseconds while another process holds the file. Throws DatabaseUnavailable once it has
 * been held for 5 s since the caller asked: callers that wait one behind the other do not add up their waits. SQLite's
 * own wait would block this whole process.
 */
export async function beginWhenFree(begin: () => Promise<void>, waiting: Waiting = {}): Promise<void> {
  const { askedAt = performance.now(), hold = { since: undefined }, patienceMs = 5000 } = waiting;
  for (;;) {
    try {
      await begin();
      hold.since = undefined;
      return;
    } catch (error) {
      if (!isTemporary(error)) throw error;
      hold.since ??= performance.now();
      if (performance.now() > Math.max(askedAt, hold.since) + patienceMs) {
        throw new DatabaseUnavailable(`another process has held the database for ${patienceMs} ms`, {
          cause: error,
        });
      }
      await sleep(2 + Math.random() * 18);
    }
  }
}
