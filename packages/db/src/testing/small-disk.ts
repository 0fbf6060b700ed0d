import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A disk that a test fills. */
export interface SmallDisk {
  /** Where it is mounted. */
  readonly folder: string;
  /** Leaves no free byte. */
  fill(): void;
  clear(): void;
  /** Removes it with all that is on it. */
  remove(): void;
}

/** Mounts a disk of its own at a folder that does not exist yet; undefined, after a message, if that is not possible. */
export function mountSmallDisk(folder: string, megabytes: number): SmallDisk | undefined {
  mkdirSync(folder);
  const options = ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'certloop', folder];
  const { status, stderr, error } = spawnSync('mount', options, { encoding: 'utf8' });
  if (status !== 0) {
    const failure = error?.message ?? stderr.trim();
    rmSync(folder, { recursive: true });
    process.stderr.write(`SKIPPED: no disk of its own can be mounted, which takes root: ${failure}\n`);
    return undefined;
  }
  const ballast = join(folder, 'ballast');
  return {
    folder,
    fill: () => fill(ballast),
    clear: () => rmSync(ballast, { force: true }),
    remove: () => void spawnSync('umount', ['--lazy', folder]),
  };
}

function fill(file: string): void {
  const ballast = openSync(file, 'a');
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
