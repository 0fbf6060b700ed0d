import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Metrics } from './metrics.js';

/** A database, which is a file if it is embedded. */
interface StoredDatabase {
  readonly dialect: { readonly capabilities: { readonly isEmbedded: boolean } };
  /** The file. */
  readonly shown: string;
}

/**
 * Declares how large the disk of the database is, and how much of it is free for the service; without values for a
 * database that is no file.
 */
export function watchDisk(metrics: Pick<Metrics, 'gaugesOf'>, { dialect, shown }: StoredDatabase): void {
  const isFile = dialect.capabilities.isEmbedded && shown !== ':memory:';
  const folder = dirname(shown);
  metrics.gaugesOf({
    name: 'disk',
    gauges: {
      free: {
        name: 'database_disk_free_bytes',
        help: 'Bytes that the service can still write to the disk of its SQLite database',
        labels: [],
      },
      size: {
        name: 'database_disk_size_bytes',
        help: 'Size of the disk of the SQLite database',
        labels: [],
      },
    },
    read: async () => {
      if (!isFile) return { free: [], size: [] };
      const { bavail, blocks, bsize } = await statfs(folder);
      return { free: [{ labels: {}, value: bavail * bsize }], size: [{ labels: {}, value: blocks * bsize }] };
    },
  });
}
