import type { AcmeDeps } from '../acme-deps.service.js';

// the latest time that a Date can represent
const never = new Date(8.64e15);

/** Until when an order or a challenge must appear as processing; undefined without such a fault. */
export function processingUntil(
  { faults, clock }: Pick<AcmeDeps, 'faults' | 'clock'>,
  endpoint: 'finalize' | 'challenge',
): Date | undefined {
  const fault = faults.take(endpoint, 'processing');
  if (fault === undefined) return undefined;
  if (fault.seconds === undefined) return never;
  return new Date(clock.now().getTime() + fault.seconds * 1000);
}
