import { AcmeProblem } from '@certloop/contracts';
import { retryAtOf } from './problem-reading.js';

/** How long a request to a CA waits for its rate limits. */
export interface Patience {
  /** The last moment to wait for. */
  readonly deadline: Date;
  /** Called before each wait with its end and the reason that the CA gave. The request ends by what it throws. */
  readonly onWait?: (until: Date, reason: string) => Promise<void>;
}

const maxWaitMs = 600_000;
// where the CA names no moment
const firstWaitMs = 10_000;

/** Milliseconds since 1970 until which the refusal is to be waited for; undefined where it is none of a rate limit. */
export function waitOf(error: unknown, refusals: number, now: number): number | undefined {
  if (!(error instanceof AcmeProblem) || error.type !== 'rateLimited') return undefined;
  const named = retryAtOf(error)?.getTime();
  const until = named ?? now + Math.min(firstWaitMs * 2 ** Math.min(refusals, 10), maxWaitMs);
  return until - now > maxWaitMs ? undefined : Math.max(until, now);
}
