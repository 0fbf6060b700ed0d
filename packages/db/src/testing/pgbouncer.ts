import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, until } from '@certloop/contracts/testing';
import { isAnswering, serverOwner } from './postgres-server.js';
import { scratchFolder } from './scratch.js';

/** PgBouncer in front of a database. */
export interface Bouncer {
  /** URL of the database by way of it. */
  readonly url: string;
  close(): Promise<void>;
}

export type PoolMode = 'session' | 'transaction';

const program = 'pgbouncer';
const env = { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` };

/** Whether PgBouncer is installed; said on standard error where it is not. */
export function hasPgBouncer(): boolean {
  const isThere = spawnSync(program, ['--version'], { env }).status === 0;
  if (!isThere) process.stderr.write('SKIPPED: pgbouncer is not there, so nothing is tested through it\n');
  return isThere;
}

/** Starts PgBouncer before the database of a URL, with fewer connections to the server than clients will have. */
export async function startPgBouncer(url: string, poolMode: PoolMode): Promise<Bouncer> {
  const folder = scratchFolder('pgbouncer');
  // it refuses to run as root, as the server does
  const owner = serverOwner();
  const port = await freePort();
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(file, settings(new URL(url), poolMode, port));
  chmodSync(folder, 0o755);
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
  const child = spawn(program, ['-q', file], { ...owner, env, cwd: folder, stdio: 'ignore' });
  const ended = once(child, 'exit');
  const own = Object.assign(new URL(url), { host: `127.0.0.1:${port}` }).href;
  await until(async () => child.exitCode !== null || isAnswering(own));
  if (child.exitCode !== null) throw new Error('PgBouncer did not start');
  return {
    url: own,
    close: async () => {
      // at once: SIGTERM would wait for clients in later versions
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function settings(
  { hostname, port, username, password }: URL,
  poolMode: PoolMode,
  listenPort: number,
): string {
  const secret = password === '' ? '' : ` password=${decodeURIComponent(password)}`;
  return `[databases]
* = host=${hostname} port=${port} user=${username}${secret}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = any
pool_mode = ${poolMode}
max_client_conn = 100
default_pool_size = ${poolMode === 'transaction' ? 3 : 30}
`;
}
