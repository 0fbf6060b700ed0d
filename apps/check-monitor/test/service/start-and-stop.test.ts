import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describeEachDialect } from '@certloop/db/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { schema } from '../../src/database.js';

const main = fileURLToPath(new URL('../../service/main.js', import.meta.url));
const cli = fileURLToPath(new URL('../../service/cli.js', import.meta.url));

const running: ChildProcess[] = [];

function start(file: string, args: readonly string[], environment: Record<string, string>): ChildProcess {
  const child = spawn(process.execPath, [file, ...args], { env: environment });
  running.push(child);
  return child;
}

async function outputOf(child: ChildProcess, stream: 'stdout' | 'stderr'): Promise<string> {
  let text = '';
  child[stream]?.on('data', (chunk) => {
    text += String(chunk);
  });
  await once(child, 'close');
  return text;
}

/** Resolves to the address of the service as soon as it listens. */
async function addressOf(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('no output');
  for await (const line of createInterface(child.stdout)) {
    const entry: { event?: string; url?: string } = JSON.parse(line);
    if (entry.event === 'service.started' && entry.url !== undefined) return entry.url;
  }
  throw new Error('the service ended before it listened');
}

afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

describeEachDialect('service', (open) => {
  test('accepts pings, keeps them after a kill, and stops cleanly', async () => {
    const environment = {
      CHECK_MONITOR_DATABASE_URL: (await open(schema)).url,
      CHECK_MONITOR_SECRET: 'a secret for tests only',
      CHECK_MONITOR_PORT: '0',
    };
    const first = start(main, [], environment);
    const firstUrl = await addressOf(first);
    const setup = start(cli, 'setup --owner ada@example.org --project Jobs --json'.split(' '), environment);
    const { readWriteKey, pingKey } = JSON.parse(await outputOf(setup, 'stdout'));
    const pinged = await fetch(`${firstUrl}/ping/${pingKey}/nightly?create=1`);
    expect(pinged.status).toBe(201);

    first.kill('SIGKILL');
    await once(first, 'close');
    const second = start(main, [], environment);
    const headers = { 'X-Api-Key': readWriteKey };
    const listed = await fetch(`${await addressOf(second)}/api/v3/checks/`, { headers });
    expect(await listed.json()).toMatchObject({ checks: [{ slug: 'nightly', n_pings: 1, status: 'up' }] });

    second.kill('SIGTERM');
    expect(await once(second, 'close')).toEqual([0, null]);
  });
});

describe('service without its configuration', () => {
  test('lists all faults and does not start', async () => {
    const child = start(main, [], { CHECK_MONITOR_PORT: 'x', CHECK_MONITOR_TRUSTED_PROXIES: 'unknown' });
    const said = await outputOf(child, 'stderr');
    expect(said).toContain('CHECK_MONITOR_SECRET: is missing');
    expect(said).toContain('CHECK_MONITOR_PORT: must be a whole number');
    expect(said).toContain('CHECK_MONITOR_TRUSTED_PROXIES: must be addresses or ranges in CIDR');
    expect(child.exitCode).toBe(1);
  });
});
