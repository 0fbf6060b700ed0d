import type { Command } from 'commander';
import { ask } from './confirm.js';
import type { Session } from './connection/session.js';
import { UsageError } from './usage-error.js';

/** What a creation does where a thing of its name exists. */
export interface ExistingOptions {
  readonly ifNotExists?: true;
  readonly twin?: true;
}

/** Adds `--if-not-exists` and `--twin` to a creation of things whose names need not differ; `noun` as in `a space`. */
export function withExistingOptions(command: Command, noun: string): Command {
  return withIfNotExists(command, noun).option(
    '--twin',
    `create it although another ${noun.replace(/^an? /, '')} has the name`,
  );
}

/** Adds `--if-not-exists` alone, to a creation of things whose names differ. */
export function withIfNotExists(command: Command, noun: string): Command {
  return command.option('--if-not-exists', `${noun} of that name is enough`);
}

/**
 * The thing of this name where one is enough; undefined where one has to be created. Asks before there are two of a
 * name, and without a terminal throws UsageError; `said` as in `a space Shop`.
 */
export async function findEnough<T extends { readonly id: string }>(
  { io, unchanged }: Pick<Session, 'io' | 'unchanged'>,
  same: T | undefined,
  said: string,
  { ifNotExists, twin }: ExistingOptions,
): Promise<T | undefined> {
  if (same === undefined) return undefined;
  if (ifNotExists === true) {
    unchanged();
    return same;
  }
  if (twin === true) return undefined;
  const reason = `there is ${said} already (${same.id})`;
  const agreed = await ask(io, `${reason}. Create another one? [y/N] `);
  if (agreed === undefined)
    throw new UsageError(`${reason}: --if-not-exists takes it, --twin creates another one`);
  if (!agreed) throw new UsageError('nothing was changed');
  return undefined;
}
