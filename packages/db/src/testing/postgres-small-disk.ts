import { chownSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type ControlledServer, controlServer } from './postgres-pair.js';
import { initialiseCluster, makePlace, type ServerPlace } from './postgres-server.js';
import { mountSmallDisk, type SmallDisk } from './small-disk.js';

/** A server whose files, with the write-ahead log, are on a disk that a test fills. */
export interface ServerOnSmallDisk extends Pick<SmallDisk, 'fill' | 'clear'> {
  readonly server: ControlledServer;
  /** Ends the server and removes its disk. */
  close(): Promise<void>;
}

const megabytes = 160;
// few files of the write-ahead log, so that it soon needs space for the next one
const settings = ['wal_keep_size=0', 'max_wal_size=32MB', 'min_wal_size=32MB'];

/** Starts the PostgreSQL of the npm packages on such a disk; undefined, after a message, if none can be mounted. */
export async function startOnSmallDisk(): Promise<ServerOnSmallDisk | undefined> {
  const place = makePlace();
  const disk = mountSmallDisk(join(place.folder, 'disk'), megabytes);
  const remove = () => {
    disk?.remove();
    rmSync(place.folder, { recursive: true, force: true });
  };
  if (disk === undefined) {
    remove();
    return undefined;
  }
  const small: ServerPlace = { ...place, folder: disk.folder };
  try {
    if (place.owner !== undefined) chownSync(disk.folder, place.owner.uid, place.owner.gid);
    initialiseCluster(small);
    const server = await controlServer(small, settings);
    return {
      server,
      fill: disk.fill,
      clear: disk.clear,
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
