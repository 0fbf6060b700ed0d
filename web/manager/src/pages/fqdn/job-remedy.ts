import type { StepReport } from '@certloop/contracts/browser';
import { exactTime } from '@certloop/web-kit';

/** Returns what to do about the step of a request that failed; undefined where none says why. */
export function remedyOf(reports: readonly StepReport[], now: number): string | undefined {
  const error = reports.find(({ status }) => status === 'failed')?.error;
  if (error === undefined) return undefined;
  const { retryable, retryAt } = error;
  if (retryAt !== undefined && Date.parse(retryAt) > now)
    return `Request it again from ${exactTime(retryAt)} on.`;
  return retryable || retryAt !== undefined
    ? 'The cause may pass: request it again in a moment.'
    : 'Correct this first, then request it again.';
}
