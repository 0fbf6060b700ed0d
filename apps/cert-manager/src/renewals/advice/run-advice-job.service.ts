import { yieldBetween } from '@certloop/db';
import type { Clock, Logger } from '@certloop/server';
import type { Heartbeat } from '../heartbeat/heartbeat.client.js';

export interface AdviceJobDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Asks some of the CAs whose turn it is; false when there is more to ask. */
  readonly ask: () => Promise<boolean>;
  /** Milliseconds after which the run begins no further round, so that slow CAs do not make it late. */
  readonly budgetMs: number;
  /** Absent when there is no monitor. */
  readonly heartbeat: Heartbeat | undefined;
}

/**
 * One run of asking CAs when they want certificates renewed, reported to the monitor: start, then success, or fail
 * with the reason if it failed. A CA that does not answer is no reason. False when there is more to ask. Never throws.
 */
export async function runAdviceJob(deps: AdviceJobDeps): Promise<boolean> {
  const { clock, logger, ask, budgetMs, heartbeat } = deps;
  const beat = await heartbeat?.begin();
  try {
    const until = clock.now().getTime() + budgetMs;
    let isDone = false;
    for await (const _round of yieldBetween()) {
      isDone = await ask();
      if (isDone || clock.now().getTime() >= until) break;
    }
    await beat?.succeed(
      isDone ? 'every CA was asked whose turn it was' : 'asked, and more CAs are to be asked',
    );
    return isDone;
  } catch (error) {
    logger.error({ error }, 'renewals.advice_failed');
    await beat?.fail(error instanceof Error ? error.message : String(error));
    return true;
  }
}
