import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { UsageError } from '../faults/command-errors.js';

const run = promisify(execFile);

/** Reader of the mode of a key file for an option; throws commander's own error for one that lets others read it. */
export function parseMode(text: string): number {
  const mode = /^0?[0-7]{3}$/.test(text) ? Number.parseInt(text, 8) : Number.NaN;
  if (Number.isNaN(mode)) throw new InvalidArgumentError('It is an octal number such as 640.');
  if ((mode & 0o007) !== 0)
    throw new InvalidArgumentError('It would let every user read the key; give 600 or 640.');
  if ((mode & 0o400) === 0)
    throw new InvalidArgumentError('Its owner could not read the key; give 600 or 640.');
  return mode;
}

/** Number of a user or a group by its name. Throws UsageError for one that does not exist. */
export async function findId(kind: 'user' | 'group', named: string): Promise<number> {
  if (/^\d{1,10}$/.test(named)) return Number(named);
  const database = kind === 'user' ? 'passwd' : 'group';
  const line = (await readLine(`/etc/${database}`, named)) ?? (await askSystem(database, named));
  const id = Number(line?.split(':')[2] ?? Number.NaN);
  const option = kind === 'user' ? '--owner' : '--group';
  if (!Number.isInteger(id)) throw new UsageError(`${option}: there is no ${kind} ${named} on this machine`);
  return id;
}

async function readLine(file: string, named: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').find((line) => line.startsWith(`${named}:`));
}

/** Asks for names that no file has, such as those of a directory. */
async function askSystem(database: string, named: string): Promise<string | undefined> {
  return run('getent', [database, '--', named]).then(
    ({ stdout }) => stdout,
    () => undefined,
  );
}
