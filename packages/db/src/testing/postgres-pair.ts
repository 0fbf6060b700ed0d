import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, until } from '@certloop/contracts/testing';
import pg from 'pg';
import {
  failureToAnswer,
  initialiseCluster,
  launchServer,
  makePlace,
  type ServerPlace,
} from './postgres-server.js';

const settings = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=100',
  'shared_buffers=32MB',
  // nothing here has to survive the machine, only the process of a server
  'fsync=off',
  'wal_keep_size=256MB',
  'autovacuum=off',
  'dynamic_shared_memory_type=mmap',
];

/** A server that a test does to what happens to servers. */
export interface ControlledServer {
  /** URL of its maintenance database. */
  readonly url: string;
  /** Ends all its processes by SIGKILL. */
  kill(): Promise<void>;
  /** Stops it in the fast way and starts it again. */
  restart(): Promise<void>;
  /** Stops all its processes where they are, until `thaw`. */
  freeze(): void;
  thaw(): void;
  /** Makes a primary of a standby; resolves when it can be written. */
  promote(): void;
}

/** A primary and its standby: what the primary commits is on the standby before it is answered. */
export interface PostgresPair {
  readonly primary: ControlledServer;
  readonly standby: ControlledServer;
  /** Ends both and removes their files. */
  close(): Promise<void>;
}

/** Starts a pair from the PostgreSQL that came with the npm packages. */
export async function startPostgresPair(): Promise<PostgresPair> {
  const place = makePlace();
  const places = { primary: place, standby: makePlace() };
  initialiseCluster(place);
  copyCluster(places);
  const primary = await controlServer(places.primary, ['synchronous_standby_names=*']);
  const { port } = new URL(primary.url);
  writeFileSync(join(places.standby.folder, 'database', 'standby.signal'), '');
  const standby = await controlServer(places.standby, [
    `primary_conninfo=host=127.0.0.1 port=${port} user=postgres`,
  ]);
  await untilSynchronous(primary.url);
  return {
    primary,
    standby,
    close: async () => {
      for (const server of [primary, standby]) await server.kill();
      for (const { folder } of Object.values(places)) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** URL of a new database of the server that a URL leads to. */
export async function createDatabase(serverUrl: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  return Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
}

function copyCluster({ primary, standby }: Readonly<Record<'primary' | 'standby', ServerPlace>>): void {
  const [from, to] = [primary.folder, standby.folder].map((folder) => join(folder, 'database'));
  // by the owner of the files, who may be another user than this one
  execFileSync('cp', ['-a', from ?? '', to ?? ''], { ...standby.owner, cwd: '/' });
}

/** Starts a server on the cluster of a place, with settings of its own beside those of all controlled servers. */
export async function controlServer(place: ServerPlace, own: readonly string[]): Promise<ControlledServer> {
  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const start = async (): Promise<ChildProcess> => {
    const started = launchServer(place, [...settings, ...own, `port=${port}`], undefined);
    const failure = await failureToAnswer(started, url, place.folder);
    if (failure !== undefined) throw new Error(`PostgreSQL did not start: ${failure}`);
    return started;
  };
  let server = await start();
  const processes = () => {
    const [postmaster = ''] = readFileSync(join(place.folder, 'database', 'postmaster.pid'), 'utf8').split(
      '\n',
    );
    const pid = Number(postmaster);
    return [pid, ...childrenOf(pid)];
  };
  return {
    url,
    kill: async () => {
      if (server.exitCode !== null || server.signalCode !== null) return;
      const ended = once(server, 'exit');
      signal(processes(), 'SIGKILL');
      server.stdin?.end();
      await ended;
    },
    restart: async () => {
      const ended = once(server, 'exit');
      // the shell that started it then asks for the fast shutdown, and ends where the server has ended already
      server.stdin?.end();
      await ended;
      server = await start();
    },
    freeze: () => signal(processes(), 'SIGSTOP'),
    thaw: () => signal(processes(), 'SIGCONT'),
    promote: () => {
      const { folder, binaries, owner } = place;
      const promotion = ['promote', '-w', '-D', join(folder, 'database')];
      execFileSync(join(binaries, 'bin', 'pg_ctl'), promotion, { ...owner, cwd: folder });
    },
  };
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // it has just ended
    }
  }
}

function childrenOf(pid: number): number[] {
  const listed = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  const pairs = listed.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.filter(([, parent]) => parent === pid).map(([child]) => child ?? 0);
}

async function untilSynchronous(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const text = `select 1 from pg_stat_replication where sync_state = 'sync'`;
    await until(async () => (await client.query(text)).rows.length > 0);
  } finally {
    await client.end();
  }
}
