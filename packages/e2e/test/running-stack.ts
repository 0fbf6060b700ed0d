import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testDatabaseUrl, testDialects } from '@certloop/db/testing';
import { afterAll, beforeAll, describe } from '@jest/globals';
import { inheritedEnvironment } from '../src/config.js';
import { type Clients, clientsOf } from '../src/main-job.js';
import { type Stack, startStack } from '../src/stack.js';

/** A stack of real processes on one database kind, and the clients of it. */
export interface RunningStack {
  readonly stack: Stack;
  readonly clients: Clients;
}

/**
 * Describes `<name> on <database>` for SQLite and PostgreSQL, with one stack for the whole suite. Jobs that
 * wait for a period run every second, so that a test need not.
 */
export function describeStack(
  name: string,
  suite: (running: () => RunningStack) => void,
  /** What the services are told beside. */
  more: () => Promise<Readonly<Record<string, string>>> = async () => ({}),
): void {
  describe.each(testDialects())(`${name} on %s`, (dialect) => {
    let running: RunningStack;
    const cleanups: (() => Promise<unknown>)[] = [];

    beforeAll(async () => {
      const dataDir = await mkdtemp(join(tmpdir(), 'certloop-e2e-'));
      cleanups.push(() => rm(dataDir, { recursive: true, force: true }));
      const certManager = await testDatabaseUrl(dialect);
      const checkMonitor = await testDatabaseUrl(dialect);
      cleanups.push(certManager.drop, checkMonitor.drop);
      const stack = await startStack({
        dataDir,
        ports: { certManager: 0, checkMonitor: 0, dummyCa: 0 },
        databaseUrls: { certManager: certManager.url, checkMonitor: checkMonitor.url },
        environment: {
          ...inheritedEnvironment(),
          HEARTBEAT_SECONDS: '1',
          LOG_LEVEL: 'warn',
          ...(await more()),
        },
      });
      cleanups.push(() => stack.stop());
      running = { stack, clients: clientsOf(stack.credentials) };
    });
    afterAll(async () => {
      for (const cleanup of cleanups.reverse()) await cleanup();
    });
    suite(() => running);
  });
}
