import { randomUUID } from 'node:crypto';
import { access, constants, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { UsageError } from '../faults/command-errors.js';
import { describeFault, faultCode } from '../faults/system-fault.js';
import type { Io } from '../io.js';
import { type Contexts, noContexts, parseContexts } from './contexts.js';
import { lockFile } from './file-lock.js';

/** The file that stores all contexts; earlier versions stored one log-in in it. */
export function contextsFile(env: Io['env']): string {
  const base = env['XDG_CONFIG_HOME'] || join(env['HOME'] || ownHome(), '.config');
  return join(base, 'certloop', 'login.json');
}

/** From the user database where HOME is not set, as in some crontabs; / for a user who is not in it. */
function ownHome(): string {
  try {
    return homedir();
  } catch {
    return '/';
  }
}

/** All stored contexts, none without a file. Throws UsageError for a file that is not one of certloop. */
export async function readContexts(env: Io['env']): Promise<Contexts> {
  const file = contextsFile(env);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (faultCode(error) === 'ENOENT') return noContexts;
    throw new UsageError(describeFault(error, file));
  }
  const found = parseContexts(text);
  if (found === undefined)
    throw new UsageError(`${file} is not a log-in of certloop; remove it, then log in again`);
  return found;
}

/**
 * Changes the stored contexts, readable by their owner only, whole or not at all. Processes that change them at once do
 * so one after the other. Throws UsageError when they cannot be stored.
 */
export async function changeContexts(
  env: Io['env'],
  change: (contexts: Contexts) => Contexts,
): Promise<Contexts> {
  const file = contextsFile(env);
  await prepareFolder(env);
  const unlock = await orRefuse(file, () => lockFile(`${file}.lock`));
  const draft = `${file}.${randomUUID()}.new`;
  try {
    const changed = change(await readContexts(env));
    await orRefuse(file, async () => {
      await writeFile(draft, `${JSON.stringify(changed, null, 2)}\n`, {
        mode: 0o600,
        flag: 'wx',
        flush: true,
      });
      await rename(draft, file);
    });
    return changed;
  } finally {
    await rm(draft, { force: true });
    await unlock();
  }
}

/** Throws UsageError if contexts could not be stored, before anything is created that would have to be stored. */
export async function prepareFolder(env: Io['env']): Promise<void> {
  const file = contextsFile(env);
  await orRefuse(file, async () => {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await access(dirname(file), constants.W_OK | constants.X_OK);
  });
}

async function orRefuse<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (faultCode(error) === undefined) throw error;
    throw new UsageError(
      `the log-in cannot be stored: ${describeFault(error, file)}; set XDG_CONFIG_HOME to a folder that you may write`,
    );
  }
}
