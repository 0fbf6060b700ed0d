import { UsageError } from './usage-error.js';

/** Throws UsageError unless what is lost was agreed to by `--yes`; `loss` says what it is, as a sentence. */
export function requireYes(yes: true | undefined, loss: string): void {
  if (yes !== true) throw new UsageError(`${loss}; add --yes to do it`);
}
