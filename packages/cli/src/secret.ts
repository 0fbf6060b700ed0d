import { UsageError } from './faults/command-errors.js';
import { describeFault } from './faults/system-fault.js';
import type { Io } from './io.js';

interface Secret {
  /** Question on a terminal, such as `Password of anna: `. */
  readonly question: string;
  /** Name of the secret, for errors: `password of anna`. */
  readonly name: string;
  /** The option that names a file, if there is one. */
  readonly option?: string;
  /** The file, if one is named; - is standard input. */
  readonly file?: string | undefined;
}

/** The first line of a file, what is typed unseen, or the next line of a pipe. Throws UsageError for an empty one. */
export async function readSecret(io: Io, { question, name, option, file }: Secret): Promise<string> {
  const secret = file === undefined ? await io.askSecret(question) : await firstLine(io, file, option);
  const other = option === undefined ? '' : `, or name a file with ${option}`;
  if (secret === '') throw new UsageError(`the ${name} is empty: type it, or pipe it in${other}`);
  return secret;
}

async function firstLine(io: Io, file: string, option = ''): Promise<string> {
  const text = await io.readText(file).catch((error: unknown) => {
    throw new UsageError(`${option}: ${describeFault(error, file)}`);
  });
  return text.split(/\r?\n/, 1)[0] ?? '';
}
