import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { UsageError } from '../faults/command-errors.js';
import { faultCode } from '../faults/system-fault.js';

const attemptMs = 20;
const maxWaitMs = 10_000;

/**
 * Takes a lock by creating its file, which contains the host and the process. Waits while another process holds it; a
 * lock whose process has ended is taken over. Returns what releases it. Throws UsageError if one process holds it for
 * 10 s.
 */
export async function lockFile(file: string): Promise<() => Promise<void>> {
  let held = { by: '', until: Date.now() + maxWaitMs };
  const holder = `${hostname()} ${process.pid} ${randomUUID()}`;
  while (!(await take(file, holder))) {
    const seen = await readFile(file, 'utf8').catch(() => undefined);
    if (seen !== undefined && hasEnded(seen)) await removeEnded(file, seen);
    else await setTimeout(attemptMs);
    // many may wait in turn, each for a moment
    if (seen !== held.by) held = { by: seen ?? '', until: Date.now() + maxWaitMs };
    if (Date.now() > held.until)
      throw new UsageError(
        `${file} is locked by another certloop (${seen}); remove the file if that process has ended`,
      );
  }
  return () => rm(file, { force: true });
}

async function take(file: string, holder: string): Promise<boolean> {
  try {
    await writeFile(file, holder, { mode: 0o600, flag: 'wx' });
    return true;
  } catch (error) {
    if (faultCode(error) === 'EEXIST') return false;
    // on a full disk the file is there, without its content
    await rm(file, { force: true });
    throw error;
  }
}

/** Whether the process that a lock names has ended; of another host, no process here can say. */
function hasEnded(holder: string): boolean {
  const [host, pid] = holder.split(' ');
  if (host !== hostname()) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return faultCode(error) === 'ESRCH';
  }
}

/** Removes a lock, unless another process has taken it over in the meantime: that one gets it back. */
async function removeEnded(file: string, seen: string): Promise<void> {
  const aside = `${file}.${randomUUID()}`;
  try {
    await rename(file, aside);
    if ((await readFile(aside, 'utf8')) !== seen) await link(aside, file);
  } catch (error) {
    // another process was quicker
    if (!['ENOENT', 'EEXIST'].includes(faultCode(error) ?? '')) throw error;
  } finally {
    await rm(aside, { force: true });
  }
}
