import type { Logger } from '@certloop/server';
import type { Heartbeat } from './heartbeat.client.js';

export interface AdviceJobDeps {
  readonly logger: Logger;
  /** Asks some of the CAs whose turn it is; false when there is more to ask. */
  readonly ask: () => Promise<boolean>;
  /** Absent when there is no monitor to tell. */
  readonly heartbeat: Heartbeat | undefined;
}

// as many as a run may ask without being late for the next
const mostRounds = 20;

/**
 * One run of asking CAs when they want certificates renewed, told to the monitor: start, then success, or fail with the
 * reason when it broke off. A CA that does not answer is no reason. False when there is more to ask. Never throws.
 */
export async function runAdviceJob({ logger, ask, heartbeat }: AdviceJobDeps): Promise<boolean> {
  const beat = await heartbeat?.begin();
  try {
    let isDone = await ask();
    for (let round = 1; !isDone && round < mostRounds; round += 1) isDone = await ask();
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
