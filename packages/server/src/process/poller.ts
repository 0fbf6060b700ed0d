import { Unavailable } from '@certloop/contracts';
import type { Logger } from '../observability/logger.js';

export interface PollerOptions {
  readonly name: string;
  /** Milliseconds between the end of one tick and the begin of the next. */
  readonly everyMs: number;
  readonly tick: () => Promise<void>;
  /** Whether ticks run now, such as only while the time is certain; they always do when absent. */
  readonly mayRun?: (() => boolean) | undefined;
  readonly logger: Logger;
}

export interface Poller {
  /** Runs a tick now, or right after the one that runs; several calls in the meantime make one. */
  trigger(): void;
  /** Resolves when the running tick is over; none begins after it. */
  stop(): Promise<void>;
}

/** Runs `tick` every period, never twice at once; a tick that throws is logged and the next one comes. */
export function startPoller({ name, everyMs, tick, mayRun, logger }: PollerOptions): Poller {
  let stopped = false;
  let again = false;
  let running: Promise<void> | undefined;
  let timer = setTimeout(run, everyMs);

  function run(): void {
    clearTimeout(timer);
    running = (mayRun?.() === false ? Promise.resolve() : tick())
      .catch((error: unknown) => {
        // it passes, and says itself all there is to say
        if (error instanceof Unavailable)
          logger.warn({ poller: name, reason: error.message }, 'poller.failed');
        else logger.error({ poller: name, error }, 'poller.failed');
      })
      .then(() => {
        running = undefined;
        if (stopped) return;
        timer = setTimeout(run, again ? 0 : everyMs);
        again = false;
      });
  }

  return {
    trigger: () => {
      if (stopped) return;
      if (running === undefined) run();
      else again = true;
    },
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
