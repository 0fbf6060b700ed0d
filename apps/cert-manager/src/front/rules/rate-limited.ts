import { AcmeProblem } from '@certloop/contracts';
import { secondsUntil } from './order-limits.js';

/** The refusal by a limit, with the time to wait (RFC 8555 §6.6). */
export function rateLimited(reason: string, until: Date, now: Date): AcmeProblem {
  return new AcmeProblem('rateLimited', `${reason}; try again at ${until.toISOString()}`, {
    headers: { 'Retry-After': String(secondsUntil(until, now)) },
  });
}
