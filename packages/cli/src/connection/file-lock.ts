import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { UsageError } from '../faults/command-errors.js';
import { faultCode } from '../faults/system-fault.js';

const attemptMs = 20;
const usualWaitMs = 10_000;

/**
 * Takes a lock by creating its file, which contains the host and the process. Waits while another process holds it; a
 * lock whose process has ended is taken over. Returns what releases it. Throws UsageError if one process holds it for
 * `maxWaitMs`, 10 s by default.
 */
export async function lockFile(file: string, maxWaitMs = usualWaitMs): Promise<() => Promise<void>> {
  let held = { by: '', until: Date.now() + maxWaitMs };
  const holder = `${hostname()} ${process.pid} ${randomUUID()} ${startOf(process.pid)}`.trimEnd();
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
  const [host, pid, , start] = holder.split(' ');
  if (host !== hostname()) return false;
  try {
    process.kill(Number(pid), 0);
    // after a restart of the machine, another process may have the number
    return start !== undefined && start !== startOf(Number(pid));
  } catch (error) {
    return faultCode(error) === 'ESRCH';
  }
}

/** Boot of the machine and the time within it when a process started; '' where the system does not show them. */
function startOf(pid: number): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    // the name of the program, in parentheses, may contain spaces
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return `${boot}/${fields[19]}`;
  } catch {
    return '';
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
