// Services under measure, each a process of its own on a free port, without a log.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inheritedEnvironment } from '../packages/e2e/dist/src/config.js';
import { startService as startProcess } from '../packages/e2e/dist/src/service-process.js';
import { freePort } from '../packages/e2e/dist/src/stack-ports.js';

const apps = {
  'cert-manager': { prefix: 'CERT_MANAGER', health: '/health/ready' },
  'check-monitor': { prefix: 'CHECK_MONITOR', health: '/api/v3/status/' },
  'dummy-ca': { prefix: 'DUMMY_CA', health: '/health' },
};

/**
 * Starts a service and gives { url, pid, stop } once it takes requests. `environment` is added to its own, which
 * are those of this process.
 */
export async function startService(app, environment = {}) {
  const { prefix, health } = apps[app];
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const service = startProcess({
    app,
    environment: {
      ...inheritedEnvironment(),
      NODE_ENV: 'production',
      LOG_LEVEL: 'warn',
      [`${prefix}_HOST`]: '127.0.0.1',
      [`${prefix}_PORT`]: String(port),
      ...environment,
    },
    healthUrl: `${url}${health}`,
    logFile: process.env['BENCH_LOG'] ?? '/dev/null',
  });
  await service.ready;
  return { url, pid: service.pid, stop: () => service.stop() };
}

/** What `work` makes of a new folder on the disk of temporary files, which is removed afterwards. */
export async function withFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), 'certloop-bench-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
