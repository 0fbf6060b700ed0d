import type { Logger } from '@certloop/server';
import type { Heartbeat } from '../../renewals/heartbeat/heartbeat.client.js';
import type { ProbeReport } from './run-probes.service.js';

export interface ProbeJobDeps {
  readonly logger: Logger;
  readonly probe: () => Promise<ProbeReport>;
  /** Absent when there is no monitor. */
  readonly heartbeat: Heartbeat | undefined;
}

/**
 * One run of the prober, reported to the monitor: start, then success, or fail with the reason if it failed. A server
 * that does not answer is no reason. False when there is more to probe. Never throws.
 */
export async function runProbeJob({ logger, probe, heartbeat }: ProbeJobDeps): Promise<boolean> {
  const beat = await heartbeat?.begin();
  try {
    const { probed, isDone } = await probe();
    await beat?.succeed(`targets probed: ${probed}${isDone ? '' : ', and more are due'}`);
    return isDone;
  } catch (error) {
    logger.error({ error }, 'targets.run_failed');
    await beat?.fail(error instanceof Error ? error.message : String(error));
    return true;
  }
}
