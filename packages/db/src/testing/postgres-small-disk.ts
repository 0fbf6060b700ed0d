import { spawnSync } from 'node:child_process';
import { chownSync, closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type ControlledServer, controlServer } from './postgres-pair.js';
import { initialiseCluster, makePlace, type ServerPlace } from './postgres-server.js';

/** A server whose files, with the write-ahead log, are on a disk that a test fills. */
export interface SmallDisk {
  readonly server: ControlledServer;
  /** Leaves no free byte. */
  fill(): void;
  clear(): void;
  /** Ends the server and removes its disk. */
  close(): Promise<void>;
}

const megabytes = 160;
// few files of the write-ahead log, so that it soon needs space for the next one
const settings = ['wal_keep_size=0', 'max_wal_size=32MB', 'min_wal_size=32MB'];

/** Starts the PostgreSQL of the npm packages on such a disk; undefined, after a message, if none can be mounted. */
export async function startOnSmallDisk(): Promise<SmallDisk | undefined> {
  const place = makePlace();
  const folder = join(place.folder, 'disk');
  mkdirSync(folder);
  const failure = mount(folder);
  if (failure !== undefined) {
    rmSync(place.folder, { recursive: true, force: true });
    process.stderr.write(`SKIPPED: no disk of its own can be mounted, which takes root: ${failure}\n`);
    return undefined;
  }
  const small: ServerPlace = { ...place, folder };
  const remove = () => {
    spawnSync('umount', ['--lazy', folder]);
    rmSync(place.folder, { recursive: true, force: true });
  };
  try {
    if (place.owner !== undefined) chownSync(folder, place.owner.uid, place.owner.gid);
    initialiseCluster(small);
    const server = await controlServer(small, settings);
    const ballast = join(folder, 'ballast');
    return {
      server,
      fill: () => fill(ballast),
      clear: () => rmSync(ballast, { force: true }),
      close: async () => {
        await server.kill();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Mounts a small disk; returns the reason if that fails. */
function mount(folder: string): string | undefined {
  const options = ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'certloop', folder];
  const { status, stderr, error } = spawnSync('mount', options, { encoding: 'utf8' });
  return status === 0 ? undefined : (error?.message ?? stderr.trim());
}

function fill(file: string): void {
  const ballast = openSync(file, 'w');
  try {
    for (let size = 1_048_576; size >= 1; size = Math.floor(size / 2)) writeWhileThereIsRoom(ballast, size);
  } finally {
    closeSync(ballast);
  }
}

function writeWhileThereIsRoom(file: number, size: number): void {
  const bytes = Buffer.alloc(size);
  try {
    for (;;) writeSync(file, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}
