import type { Clock } from '@certloop/server';
import { type Patience, waitOf } from './rate-limit.js';

/** Sends requests to a CA at the pace that its rate limits allow. */
export interface RateLimits {
  /**
   * What `send` returns. A request that the CA refuses because of its rate limits is sent again when the CA says, one
   * after the other with those that wait for the same, until the deadline. Rejects with the refusal after that, and
   * where the CA names a moment further away than ten minutes.
   */
  obey<T>(send: () => Promise<T>, patience: Patience): Promise<T>;
}

export interface RateLimitDeps {
  readonly clock: Clock;
  /** Rejects when the service stops. */
  readonly pause: (ms: number) => Promise<void>;
}

interface Waiting {
  readonly send: () => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
  readonly patience: Patience;
  /** How often it was refused. */
  refusals: number;
  /** Milliseconds since 1970. */
  notBefore: number;
}

// a limit of one name refuses the requests for it alone; two refusals on end are one of the account
const refusalsOfAccount = 2;

export function createRateLimits({ clock, pause }: RateLimitDeps): RateLimits {
  const line: Waiting[] = [];
  let refusalsOnEnd = 0;
  let heldUntil = 0;
  let isWorking = false;
  const now = () => clock.now().getTime();

  const isOfAccount = () => refusalsOnEnd >= refusalsOfAccount;
  const heldOf = () => (isOfAccount() ? heldUntil : 0);
  const noteRefusal = (until: number) => {
    refusalsOnEnd += 1;
    heldUntil = until;
    if (!isOfAccount()) return;
    for (const each of line) each.notBefore = Math.max(each.notBefore, until);
  };
  /** Sends it; when it is to wait for its next turn, it joins the line. */
  const attempt = async (one: Waiting) => {
    try {
      one.resolve(await one.send());
      refusalsOnEnd = 0;
    } catch (error) {
      const until = waitOf(error, one.refusals, now());
      if (until === undefined || until > one.patience.deadline.getTime()) return one.reject(error);
      noteRefusal(until);
      try {
        await one.patience.onWait?.(new Date(until), (error as Error).message);
      } catch (reason) {
        return one.reject(reason);
      }
      one.refusals += 1;
      one.notBefore = Math.max(until, heldOf());
      line.push(one);
    }
  };
  const serveLine = async () => {
    if (isWorking) return;
    isWorking = true;
    try {
      while (line.length > 0) {
        const first = line.reduce((soonest, each) => (each.notBefore < soonest.notBefore ? each : soonest));
        const ms = first.notBefore - now();
        if (ms > 0) await pause(ms);
        line.splice(line.indexOf(first), 1);
        await attempt(first);
      }
    } catch (reason) {
      // the service stops
      for (const each of line.splice(0)) each.reject(reason);
    }
    isWorking = false;
  };
  return {
    obey: <T>(send: () => Promise<T>, patience: Patience) =>
      new Promise<T>((resolve, reject) => {
        const one: Waiting = {
          send,
          resolve: resolve as (value: unknown) => void,
          reject,
          patience,
          refusals: 0,
          notBefore: heldOf(),
        };
        if (isWorking && isOfAccount()) line.push(one);
        else void attempt(one).then(serveLine);
      }),
  };
}
