import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartFailed } from '@certloop/server';

/** Gives the folder free again. */
export type Unlock = () => Promise<void>;

/**
 * Takes a folder for this process, so that two stacks never share databases and credentials. A lock whose
 * process is gone is taken over. Throws StartFailed that names the process which has it.
 */
export async function lockFolder(folder: string): Promise<Unlock> {
  const file = join(folder, 'stack.pid');
  for (let attempt = 0; attempt < 3; attempt += 1) {
    if (await take(file)) return () => rm(file, { force: true });
    const holder = Number(await readFile(file, 'utf8').catch(() => ''));
    if (isRunning(holder)) {
      throw new StartFailed(
        `another stack (process ${holder}) runs on the folder ${folder}; CERTLOOP_DATA_DIR names another`,
      );
    }
    await rm(file, { force: true });
  }
  throw new StartFailed(`the folder ${folder} is taken by stacks that start at the same moment`);
}

async function take(file: string): Promise<boolean> {
  try {
    await writeFile(file, String(process.pid), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It runs, as someone else.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
