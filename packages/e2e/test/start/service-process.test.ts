import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { inheritedEnvironment } from '../../src/config.js';
import { startService } from '../../src/service-process.js';
import { freePort } from '../../src/stack-ports.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'certloop-service-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('the reason why a service does not start is in the error alone, and is not shown before', async () => {
  const shown = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    const port = await freePort();
    const { ready } = startService({
      app: 'dummy-ca',
      environment: {
        ...inheritedEnvironment(),
        DUMMY_CA_PORT: String(port),
        DUMMY_CA_ROOT_VALIDITY_DAYS: 'many',
      },
      healthUrl: `http://127.0.0.1:${port}/health`,
      logFile: join(folder, 'dummy-ca.log'),
    });
    await expect(ready).rejects.toThrow(
      /^dummy-ca ended with exit code 1: [\s\S]*DUMMY_CA_ROOT_VALIDITY_DAYS/,
    );
    expect(shown.mock.calls.map(([text]) => String(text)).join('')).not.toContain('DUMMY_CA');
  } finally {
    shown.mockRestore();
  }
});
