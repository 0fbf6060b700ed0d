import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect } from 'vitest';
import { inheritedEnvironment } from '../../../src/config.js';
import { credentialsFile } from '../../../src/credentials.js';
import { type Stack, startStack } from '../../../src/stack.js';
import { runCertloop } from '../../support/certloop.js';
import { monitorCommand } from '../../support/monitor-command.js';

const program = createRequire(import.meta.url).resolve('@certloop/cli/bin/certloop.js');
const free = { certManager: 0, checkMonitor: 0, dummyCa: 0 };
/** For files; new for each start of the stack. */
export let folder: string;
export let stack: Stack;

/** Starts one stack for all tests of the file that calls this. */
export function useStack(): void {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'certloop-cli-'));
    stack = await startStack({
      dataDir: join(folder, 'data'),
      ports: free,
      // renewals run each second
      environment: { ...inheritedEnvironment(), HEARTBEAT_SECONDS: '1' },
    });
  });
  afterAll(async () => {
    await stack.stop();
    await rm(folder, { recursive: true, force: true });
  });
}

export interface Call {
  readonly input?: string;
  readonly answer?: string;
  /** Width of the terminal that it writes to; a pipe when absent. */
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** What a call is given: the stack's credentials, unless it says otherwise. */
const given = (env: Call['env']) => ({
  XDG_CONFIG_HOME: join(folder, 'config'),
  ...(env ?? { CERTLOOP_CREDENTIALS: credentialsFile(join(folder, 'data')) }),
});

export const certloop = (args: readonly string[], { env, ...call }: Call = {}) =>
  runCertloop(args, { ...call, env: given(env) });

/** The command as a process of its own. */
export function startCertloop(args: readonly string[], env?: Call['env']) {
  return spawn(process.execPath, [program, ...args], { env: { PATH: process.env['PATH'], ...given(env) } });
}

/** What such a process said, and its exit code. */
export async function certloopProcess(args: readonly string[], { input = '', env }: Call = {}) {
  const child = startCertloop(args, env);
  child.stdin.end(input);
  const ended = once(child, 'close');
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await ended;
  return { code, out, err };
}

export async function asJson(args: readonly string[]) {
  const { code, out, err } = await certloop([...args, '--json']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out);
}

/** What check-monitor's own command line prints. */
export const inMonitor = (...args: readonly string[]) =>
  monitorCommand(args, stack.plan.environments['check-monitor']);

/** A session of a user, as the console has it. */
export async function signIn(url: string, username: string, password: string) {
  const body = JSON.stringify({ username, password });
  const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
  const response = await fetch(`${url}/auth/login`, request);
  const { csrfToken } = (await response.json()) as { csrfToken: string };
  const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';', 1);
  return { cookie, headers: { origin: new URL(url).origin, 'x-csrf-token': csrfToken } };
}
