import { accessSync, chmodSync, constants, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const memory = '/dev/shm';
const ampleBytes = 2 * 2 ** 30;
const prefix = 'certloop-test-';

/** Makes the folder of this run, in memory where there is ample room: ten times as fast. */
export function makeRunFolder(): string {
  const parent = isAmple(memory) ? memory : tmpdir();
  removeAbandoned(parent);
  const folder = mkdtempSync(join(parent, `${prefix}${process.pid}-`));
  // the server of a run by root belongs to someone else
  chmodSync(folder, 0o755);
  process.env['CERTLOOP_TEST_FOLDER'] = folder;
  return folder;
}

export function removeRunFolder(): void {
  const folder = process.env['CERTLOOP_TEST_FOLDER'];
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}

/** A new folder in that of the run. */
export function scratchFolder(name: string): string {
  return mkdtempSync(join(process.env['CERTLOOP_TEST_FOLDER'] ?? tmpdir(), `${name}-`));
}

/** Removes what killed runs of this user have left. */
function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : Number.NaN;
    if (Number.isInteger(pid) && !isRunning(pid)) tryRemove(join(parent, name));
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // someone else's process is one too
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function tryRemove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // someone else's folder, or one that another run is removing
  }
}

function isAmple(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= ampleBytes;
  } catch {
    return false;
  }
}
