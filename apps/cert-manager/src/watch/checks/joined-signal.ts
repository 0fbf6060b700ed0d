/** How the renewal of an FQDN stands. */
export type RenewalSide = 'well' | 'failed' | 'overdue';

/** What its targets serve: well, at fault, or just well again. */
export type ServedSide = 'well' | 'fault' | 'recovered';

/**
 * What the check of an FQDN is sent when one of its sides has changed. It fails while one side is at fault, and succeeds
 * again when both are well. A success would put off the fall of an overdue renewal, so none is sent then: `log` changes
 * nothing, and the deadline stays that of the renewal.
 */
export function joinedSignal(renewal: RenewalSide, served: ServedSide): 'success' | 'fail' | 'log' {
  if (served === 'fault' || renewal === 'failed') return 'fail';
  return renewal === 'overdue' ? 'log' : 'success';
}

/** What becomes of a success of the renewal while the targets are at fault: the check stays down. */
export function besideServed<Signal extends string>(signal: Signal, fault: string | null): Signal | 'log' {
  return signal === 'success' && fault !== null ? 'log' : signal;
}
