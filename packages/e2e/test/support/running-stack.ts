import { testDialects } from '@certloop/db/testing';
import { afterAll, beforeAll, describe } from 'vitest';
import { type Cleanup, type RunningStack, startTestStack } from './test-stack.js';

/** Describes `<name> on <database>` for SQLite and PostgreSQL, with one stack for the whole suite. */
export function describeStack(
  name: string,
  suite: (running: () => RunningStack) => void,
  /** What the services get beside. */
  more: () => Promise<Readonly<Record<string, string>>> = async () => ({}),
): void {
  describe.each(testDialects())(`${name} on %s`, (dialect) => {
    let running: RunningStack;
    const cleanups: Cleanup[] = [];

    beforeAll(async () => {
      running = await startTestStack(dialect, await more(), cleanups);
    });
    afterAll(async () => {
      for (const cleanup of cleanups.reverse()) await cleanup();
    });
    suite(() => running);
  });
}
