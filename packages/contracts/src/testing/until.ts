import { setTimeout as pause } from 'node:timers/promises';

/**
 * Limit in milliseconds of a wait that only ends a hang, below that of tests, so that what waited is named. It is at least
 * ten times what any wait takes on a quiet machine.
 */
export const hangMs = 300_000;

/**
 * Returns what the attempt finds, tried until it is neither undefined nor false. Throws when only a hang explains the
 * wait.
 */
export async function until<T>(
  attempt: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  for (const deadline = Date.now() + hangMs; Date.now() < deadline; await pause(20)) {
    const found = await attempt();
    if (found !== undefined && found !== false) return found;
  }
  throw new Error(`not within ${hangMs / 1000} s: ${attempt}`);
}
