import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { schema as managerSchema } from '@certloop/cert-manager/dist/src/database.js';
import { schema as monitorSchema } from '@certloop/check-monitor/dist/src/database.js';
import type { DialectName } from '@certloop/db';
import { testDatabaseUrl } from '@certloop/db/testing';
import { inheritedEnvironment } from '../../src/config.js';
import { type Clients, clientsOf } from '../../src/main-job.js';
import { type Stack, startStack } from '../../src/stack.js';
import { prepareCredentials } from './first-credentials.js';

/** A stack of real processes, and its clients. */
export interface RunningStack {
  readonly stack: Stack;
  readonly clients: Clients;
}

export type Cleanup = () => Promise<unknown>;

/**
 * Starts a stack on databases of its own, whose recurring jobs run every second, so that a test need not wait for
 * them. What it leaves is added to `cleanups`, the last one to be cleaned up first.
 */
export async function startTestStack(
  dialect: DialectName,
  environment: Readonly<Record<string, string>>,
  cleanups: Cleanup[],
): Promise<RunningStack & { readonly managerDatabaseUrl: string }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'certloop-e2e-'));
  cleanups.push(() => rm(dataDir, { recursive: true, force: true }));
  const certManager = await testDatabaseUrl(dialect, managerSchema);
  const checkMonitor = await testDatabaseUrl(dialect, monitorSchema);
  cleanups.push(certManager.drop, checkMonitor.drop);
  const databaseUrls = { certManager: certManager.url, checkMonitor: checkMonitor.url };
  await prepareCredentials(dataDir, databaseUrls);
  const stack = await startStack({
    dataDir,
    ports: { certManager: 0, checkMonitor: 0, dummyCa: 0 },
    databaseUrls,
    environment: { ...inheritedEnvironment(), HEARTBEAT_SECONDS: '1', LOG_LEVEL: 'warn', ...environment },
  });
  cleanups.push(() => stack.stop());
  return { stack, clients: clientsOf(stack.credentials), managerDatabaseUrl: certManager.url };
}
