import type { Tx } from '@certloop/db';
import type { Clock } from '@certloop/server';
import { changeOfIssuance, isContinued, isLapsed, type LeaseTerms } from './issuance-state.js';
import {
  deleteIssuances,
  type IssuanceRow,
  insertRunning,
  listRunning,
  updateIssuance,
} from './issuances.repository.js';

/** Another request for the FQDN is running, or has stored a certificate since the renewal was claimed. */
export class RenewalOvertaken extends Error {
  constructor() {
    super('another request for the FQDN is running or has just ended');
    this.name = 'RenewalOvertaken';
  }
}

interface LeaveTerms extends LeaseTerms {
  readonly clock: Clock;
}

/**
 * Records a try to renew as the running issuance of its FQDN; returns the row. That of an earlier try is continued. Throws
 * RenewalOvertaken if another one is running: the transaction must fail then.
 */
export async function beginRenewalIssuance(
  tx: Tx,
  { issuance, earlier }: { readonly issuance: IssuanceRow; readonly earlier: IssuanceRow | undefined },
  terms: LeaveTerms,
): Promise<IssuanceRow> {
  if (earlier === undefined && (await insertRunning(tx, [issuance])).size === 1) return issuance;
  const now = terms.clock.now();
  for (const running of await listRunning(tx, [issuance.fqdnId])) {
    // `listDueRenewals` leaves out the FQDNs of all others
    if (running.cause !== 'renewal' || !isLapsed(running, now)) throw new RenewalOvertaken();
    // its entry is another one, such as a test
    if (running.id !== earlier?.id) await leaveRenewalIssuance(tx, running, terms);
  }
  if (earlier === undefined) {
    if ((await insertRunning(tx, [issuance])).size === 0) throw new RenewalOvertaken();
    return issuance;
  }
  const { leaseUntil } = issuance;
  const attempt = earlier.attempt + 1;
  const claim = { state: 'running', attempt, leaseUntil, nextAt: null, finishedAt: null } as const;
  if (!(await updateIssuance(tx, earlier, claim))) throw new RenewalOvertaken();
  return { ...earlier, ...claim };
}

/**
 * Ends a try that has led to no certificate yet: a CA without orders may have issued, and is asked again; an order is left
 * to the next request for the same CSR by the same provider.
 */
export async function leaveRenewalIssuance(
  tx: Tx,
  issuance: IssuanceRow,
  { clock, leaseMs }: LeaveTerms,
): Promise<void> {
  const now = clock.now();
  if (!issuance.isOrder) {
    await updateIssuance(tx, issuance, { ...changeOfIssuance(issuance, { kind: 'lose', now }, { leaseMs }) });
  } else if (isContinued(issuance)) {
    await updateIssuance(tx, issuance, { state: 'failed', leaseUntil: null, finishedAt: now });
  } else {
    await deleteIssuances(tx, [issuance]);
  }
}
