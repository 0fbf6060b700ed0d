import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inheritedEnvironment } from '../../src/config.js';
import { clientsOf } from '../../src/main-job.js';
import type { ServiceName } from '../../src/service-process.js';
import { type Stack, startStack } from '../../src/stack.js';

const sentences: string[] = [];
let wake: () => void = () => undefined;
let dataDir: string;
let stack: Stack;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'certloop-restart-'));
  stack = await startStack({
    dataDir,
    ports: { certManager: 0, checkMonitor: 0, dummyCa: 0 },
    environment: { ...inheritedEnvironment(), LOG_LEVEL: 'warn' },
    // on a slow machine, six starts take more than a minute
    now: () => 0,
    warn: (sentence) => {
      sentences.push(sentence);
      wake();
    },
  });
});
afterAll(async () => {
  await stack?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** Resolves when the stack has said the sentence. */
async function heard(sentence: string): Promise<void> {
  while (!sentences.includes(sentence)) {
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
}

/** Kills a service as the kernel would, and waits until it takes requests again. */
async function killAndWait(app: ServiceName): Promise<void> {
  sentences.length = 0;
  process.kill(stack.service(app).pid, 'SIGKILL');
  await heard(`${app} is running again`);
  expect(sentences).toEqual([`${app} ended with SIGKILL; starting it again`, `${app} is running again`]);
}

describe('a service that ends', () => {
  test('is started again with its data', async () => {
    const { manager, monitor } = clientsOf(stack.credentials);
    const space = await manager.createSpace({ body: { name: 'Kept' } });
    const check = await monitor.createCheck({ body: { name: 'Kept' } });
    expect([space.status, check.status]).toEqual([201, 201]);
    await killAndWait('cert-manager');
    await killAndWait('check-monitor');
    const spaces = await manager.listSpaces({ query: {} });
    expect(JSON.stringify(spaces.body)).toContain('Kept');
    const checks = await monitor.listChecks();
    expect(checks.body.checks.map(({ name }) => name)).toContain('Kept');
  });

  test('is not started a sixth time within a minute, and the stack says so', async () => {
    for (let count = 0; count < 5; count += 1) await killAndWait('dummy-ca');
    process.kill(stack.service('dummy-ca').pid, 'SIGKILL');
    expect(await stack.broken).toBe('dummy-ca ended with SIGKILL, for the sixth time within a minute');
  });
});
