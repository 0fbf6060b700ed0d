import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describeOnPostgres, openRelay, type Relay, testDatabaseUrl } from '@certloop/db/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';

describeOnPostgres('a manager whose connections end in silence', () => {
  const cleanups: (() => Promise<unknown>)[] = [];
  let relay: Relay;

  beforeEach(async () => {
    const { url, drop } = await testDatabaseUrl('postgres');
    relay = await openRelay(url);
    cleanups.push(drop, () => relay.close());
  });
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  test('answers, and stops cleanly while it waits for the database', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'certloop-silent-'));
    cleanups.push(async () => rmSync(folder, { recursive: true }));
    const child = spawn(
      process.execPath,
      [fileURLToPath(new URL('../../service/main.js', import.meta.url))],
      {
        env: { CERT_MANAGER_PORT: '0', CERT_MANAGER_DATABASE_URL: relay.url, AUTH_MODE: 'open' },
        cwd: folder,
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    cleanups.push(async () => child.kill('SIGKILL'));
    const lines = createInterface(child.stdout);
    const base = await new Promise<string>((resolve) =>
      lines.on('line', (line) => {
        const entry: { event?: string; url?: string } = JSON.parse(line);
        if (entry.event === 'service.started') resolve(entry.url ?? '');
      }),
    );
    const list = async () => (await fetch(`${base}/spaces`)).status;
    expect(await Promise.all([list(), list(), list()])).toEqual([200, 200, 200]);

    relay.freeze();
    // a request that waits for 30 s is answered with 503
    expect(await Promise.all([list(), list(), list()])).toEqual([200, 200, 200]);

    relay.freeze();
    const waiting = list().catch(() => undefined);
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    // with 1 it ends itself after 20 s
    expect(await ended).toEqual([0, null]);
    await waiting;
  });
});
