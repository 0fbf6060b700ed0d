import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { controlServer } from './postgres-pair.js';
import { initialiseCluster, makePlace, type ServerPlace } from './postgres-server.js';

/** A server of its own, of which a base backup can be made while it is in use. */
export interface BackedUpServer {
  /** URL of its maintenance database. */
  readonly url: string;
  /** Copies all its databases as they are at the end of the call; the result starts a server on a further copy. */
  backUp(): Promise<() => Promise<BackedUpServer>>;
  /** Ends it and removes its files and its backups. */
  close(): Promise<void>;
}

/** Starts such a server from the PostgreSQL that came with the npm packages. */
export async function startBackedUpServer(): Promise<BackedUpServer> {
  const place = makePlace();
  initialiseCluster(place);
  return serverOn(place);
}

async function serverOn(place: ServerPlace): Promise<BackedUpServer> {
  const server = await controlServer(place, []);
  const places = [place];
  return {
    url: server.url,
    backUp: async () => {
      const backup = makePlace();
      places.push(backup);
      await copyRunning(server.url, place, backup);
      return () => {
        const restored = makePlace();
        copyDatabase(backup, restored);
        return serverOn(restored);
      };
    },
    close: async () => {
      await server.kill();
      for (const { folder } of places) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL's base backup by its own functions, as pg_basebackup does not come with the npm packages. */
async function copyRunning(url: string, from: ServerPlace, to: ServerPlace): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("select pg_backup_start('test', true)");
    copyDatabase(from, to);
    const { rows } = await client.query('select labelfile from pg_backup_stop(false)');
    // what was written in the meantime is in the log of writes, which is therefore copied again
    copy(join(from.folder, 'database', 'pg_wal'), join(to.folder, 'database'), to);
    writeFileSync(join(to.folder, 'database', 'backup_label'), rows[0].labelfile);
    rmSync(join(to.folder, 'database', 'postmaster.pid'), { force: true });
  } finally {
    await client.end();
  }
}

function copyDatabase(from: ServerPlace, to: ServerPlace): void {
  copy(join(from.folder, 'database'), to.folder, to);
}

/** By the owner of the files, who may be another user than this one. Files that vanish in the meantime are not needed. */
function copy(from: string, to: string, { owner }: ServerPlace): void {
  const options = { ...owner, cwd: '/', encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } } as const;
  const { status, stderr } = spawnSync('cp', ['-a', from, to], options);
  const faults = stderr.split('\n').filter((line) => line !== '' && !line.includes('No such file'));
  if (status !== 0 && faults.length > 0) throw new Error(faults.join('; '));
}
