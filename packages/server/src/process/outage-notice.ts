export interface OutageNoticeOptions {
  /** Why the service cannot work, in words; undefined while it can. */
  readonly findFault: () => Promise<string | undefined>;
  /** Whether an outage begins by the fault; once it has begun, any fault continues it. */
  readonly isBeginning: (fault: string) => boolean;
  /** Sends the notice; whether it reached a receiver. */
  readonly send: (outage: { readonly fault: string; readonly sinceMs: number }) => Promise<boolean>;
  /** Called in each round without a fault. */
  readonly onWell?: (nowMs: number) => Promise<void>;
  readonly nowMs: () => number;
}

// short outages end before people can act, and a disk that is nearly full is full for moments
const patienceMs = 10_000;
const retryMs = 60_000;
const silenceMs = 3_600_000;

/**
 * Returns one round of a job that sends one notice about an outage of ten seconds. If the notice reached no receiver, it is
 * sent again each minute. There is at most one in an hour.
 */
export function createOutageNotice(options: OutageNoticeOptions): () => Promise<void> {
  let sinceMs: number | undefined;
  let triedAtMs: number | undefined;
  let pauseMs = retryMs;
  let isSent = false;
  return async () => {
    const nowMs = options.nowMs();
    const fault = await options.findFault();
    if (fault === undefined) {
      sinceMs = undefined;
      isSent = false;
      await options.onWell?.(nowMs);
      return;
    }
    if (sinceMs === undefined && !options.isBeginning(fault)) return;
    sinceMs = Math.min(sinceMs ?? nowMs, nowMs);
    if (isSent || nowMs - sinceMs < patienceMs || !hasPassed(triedAtMs, pauseMs, nowMs)) return;
    triedAtMs = nowMs;
    isSent = await options.send({ fault, sinceMs });
    pauseMs = isSent ? silenceMs : retryMs;
  };
}

/** Whether a time has passed since a moment, also if the clock was set back in between. */
export function hasPassed(momentMs: number | undefined, ms: number, nowMs: number): boolean {
  return momentMs === undefined || nowMs - momentMs >= ms || nowMs < momentMs;
}
