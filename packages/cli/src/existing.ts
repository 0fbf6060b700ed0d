import type { Command, OptionValues } from '@commander-js/extra-typings';
import { ask } from './confirm.js';
import type { Session } from './connection/session.js';
import { UsageError } from './faults/command-errors.js';

/** Options of a creation for a thing of its name that exists. */
export interface ExistingOptions {
  readonly ifNotExists?: true;
  readonly twin?: true;
}

/** Adds `--if-not-exists` and `--twin` to a creation of things whose names need not differ; `noun` as in `a space`. */
export function withExistingOptions<Args extends unknown[], Opts extends OptionValues>(
  command: Command<Args, Opts>,
  noun: string,
) {
  return withIfNotExists(command, noun).option(
    '--twin',
    `create it although another ${noun.replace(/^an? /, '')} has that name`,
  );
}

/** Adds `--if-not-exists` alone, to a creation of things whose names differ. */
export function withIfNotExists<Args extends unknown[], Opts extends OptionValues>(
  command: Command<Args, Opts>,
  noun: string,
) {
  return command.option('--if-not-exists', `succeed if ${noun} with that name exists`);
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
  await askForTwin(io, same, said, twin, {
    question: 'Create another one?',
    wayOut: 'use it with --if-not-exists, or create another one with --twin',
  });
  return undefined;
}

/** Adds `--name` and `--twin`, to a change of things whose names need not differ. */
export function withNewName<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  return command
    .option('--name <name>', 'its new name')
    .option('--twin', 'rename it although another one has that name');
}

/**
 * Asks before a thing gets the name of another one, and without a terminal throws UsageError; `said` as in `space`.
 * Without a new name, nothing is asked.
 */
export async function allowRename(
  { io }: Pick<Session, 'io'>,
  all: readonly { readonly id: string; readonly name: string }[],
  { id, name }: { readonly id: string; readonly name: string | undefined },
  { said, twin }: { readonly said: string; readonly twin: true | undefined },
): Promise<void> {
  const same = all.find((other) => other.name === name && other.id !== id);
  if (same === undefined) return;
  const wayOut = 'choose another name, or add --twin';
  await askForTwin(io, same, `another ${said} ${name}`, twin, { question: 'Rename it?', wayOut });
}

async function askForTwin(
  io: Session['io'],
  { id }: { readonly id: string },
  said: string,
  twin: true | undefined,
  { question, wayOut }: { readonly question: string; readonly wayOut: string },
): Promise<void> {
  if (twin === true) return;
  const reason = `${said} already exists (${id})`;
  const agreed = await ask(io, `${reason}. ${question} [y/N] `);
  if (agreed === undefined) throw new UsageError(`${reason}: ${wayOut}`);
  if (!agreed) throw new UsageError('nothing was changed');
}
