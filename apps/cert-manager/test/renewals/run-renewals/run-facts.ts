import type { RunReport } from '../../../src/renewals/heartbeat/run-report.js';
import type { RenewalPlace } from '../../support/renewals.js';

export const minute = 60_000;

/** The report of a run that found nothing to do. */
export const quiet: RunReport = {
  renewed: 0,
  failed: [],
  broken: 0,
  lapsed: 0,
  obstacles: [],
  troubled: { count: 0, first: undefined },
  forbidden: { count: 0, first: undefined },
  isDone: true,
};

/** How often the CA was asked to sign. */
export function countSignatures({ ca }: RenewalPlace): number {
  return ca.paths.filter((path) => path === '/csr').length;
}
