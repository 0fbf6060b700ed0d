import { UsageError } from './faults/command-errors.js';
import type { Io } from './io.js';

type Terminal = Pick<Io, 'isInputTerminal' | 'err' | 'ask'>;

/**
 * Returns once it is agreed that something is lost; `loss` says what, as a sentence. With `--yes` at once; on a terminal
 * after the answer yes; otherwise throws UsageError with what to do.
 */
export async function confirm(terminal: Terminal, yes: true | undefined, loss: string): Promise<void> {
  if (yes === true) return;
  const agreed = await ask(terminal, `${loss}. Go on? [y/N] `);
  if (agreed === undefined) throw new UsageError(`${loss}; add --yes to do it`);
  if (!agreed) throw new UsageError('nothing was changed');
}

/** Whether the answer is yes; undefined where no one can be asked. */
export async function ask(
  { isInputTerminal, err, ask: askTerminal }: Terminal,
  question: string,
): Promise<boolean | undefined> {
  if (!isInputTerminal || err.isTTY !== true) return undefined;
  return /^y(es)?$/i.test((await askTerminal(question)).trim());
}
