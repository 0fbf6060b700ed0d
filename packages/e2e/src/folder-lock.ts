import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { StartFailed } from '@certloop/server';

/** Gives the folder free again. */
export type Unlock = () => Promise<void>;

/**
 * Takes a folder for this process, so that two stacks never share databases and credentials. A lock whose process is
 * gone is taken over, also if its number belongs to another process since. Throws StartFailed that names the process
 * and the file.
 */
export async function lockFolder(folder: string): Promise<Unlock> {
  const file = join(folder, 'stack.pid');
  const own = `${process.pid} ${await startOf(process.pid)}`;
  for (let attempt = 0; attempt < 3; attempt += 1) {
    if (await take(file, own)) return () => rm(file, { force: true });
    const [holder = '', ...start] = (await readFile(file, 'utf8').catch(() => '')).trim().split(' ');
    if (await isRunning(Number(holder), start.join(' '))) {
      throw new StartFailed(
        `another stack (process ${holder}) runs on the folder ${folder}; CERTLOOP_DATA_DIR names another. If process ${holder} is no stack, delete ${file}`,
      );
    }
    await rm(file, { force: true });
  }
  throw new StartFailed(`the folder ${folder} is taken by stacks that start at the same moment`);
}

async function take(file: string, content: string): Promise<boolean> {
  try {
    await writeFile(file, content, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Whether a process runs that began then; a lock of an earlier version does not say when. */
async function isRunning(pid: number, start: string): Promise<boolean> {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // it may run as someone else
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return start === '' || start === (await startOf(pid));
}

/** When a process began, in the words of the system: its boot and the time since then, or a date; empty if unknown. */
export async function startOf(pid: number): Promise<string> {
  try {
    if (process.platform !== 'linux') {
      return (await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)])).stdout.trim();
    }
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // proc(5): the 22nd field, and the second one may contain blanks
    return `${boot.trim()} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`;
  } catch {
    return '';
  }
}
