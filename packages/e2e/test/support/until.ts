import { setTimeout as pause } from 'node:timers/promises';

/** What the attempt finds, tried until it finds something. Throws after the time. */
export async function until<T>(withinMs: number, attempt: () => Promise<T | undefined>): Promise<T> {
  for (const deadline = Date.now() + withinMs; Date.now() < deadline; await pause(100)) {
    const found = await attempt();
    if (found !== undefined) return found;
  }
  throw new Error(`nothing came of it within ${withinMs / 1000} s`);
}
