import type { Io } from './io.js';
import { UsageError } from './usage-error.js';

/**
 * Returns once it is agreed that something is lost; `loss` says what, as a sentence. With `--yes` at once; on a terminal
 * after the answer yes; otherwise throws UsageError with the way out.
 */
export async function confirm(
  { isInputTerminal, err, ask }: Pick<Io, 'isInputTerminal' | 'err' | 'ask'>,
  yes: true | undefined,
  loss: string,
): Promise<void> {
  if (yes === true) return;
  if (!isInputTerminal || err.isTTY !== true) throw new UsageError(`${loss}; add --yes to do it`);
  const answer = await ask(`${loss}. Go on? [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw new UsageError('nothing was changed');
}
