import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnavailable, driverCode, isTemporary } from '../faults/failures.js';

const attempts = 6;

/** What `work` returns, run again up to five times while the database asks for it, 5 to 160 ms apart. */
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

/**
 * Repeats `begin` every few milliseconds for up to five seconds while another process holds the file, then
 * throws DatabaseUnavailable. SQLite's own wait would hold up this whole process.
 */
export async function beginWhenFree(begin: () => Promise<void>, patienceMs = 5000): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      return await begin();
    } catch (error) {
      if (!isTemporary(error)) throw error;
      if (performance.now() > deadline) {
        throw new DatabaseUnavailable(`another process has held the database for ${patienceMs} ms`, {
          cause: error,
        });
      }
      await sleep(2 + Math.random() * 18);
    }
  }
}
