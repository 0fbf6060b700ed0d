/** How the renewal of an FQDN stands. */
export type RenewalSide = 'well' | 'failed' | 'overdue';

/** The state of its targets: without a fault, with one, or just recovered. */
export type ServedSide = 'well' | 'fault' | 'recovered';

/**
 * The signal to send to the check of an FQDN when its renewal or its targets have changed. The check fails while one of
 * them has a fault, and succeeds again when neither has. If the renewal is overdue, a success would postpone the alert,
 * so `log` is sent, which leaves the deadline unchanged.
 */
export function combinedSignal(renewal: RenewalSide, served: ServedSide): 'success' | 'fail' | 'log' {
  if (served === 'fault' || renewal === 'failed') return 'fail';
  return renewal === 'overdue' ? 'log' : 'success';
}

/** Turns a success of the renewal into a `log` while the targets have a fault, so that the check stays down. */
export function limitByTargets<Signal extends string>(signal: Signal, fault: string | null): Signal | 'log' {
  return signal === 'success' && fault !== null ? 'log' : signal;
}
