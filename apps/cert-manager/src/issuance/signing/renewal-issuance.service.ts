import type { Tx } from '@certloop/db';
import type { Clock } from '@certloop/server';
import { changeOfIssuance, isLapsed, type LeaseTerms } from './issuance-state.js';
import {
  deleteIssuances,
  deleteIssuancesById,
  findIssuance,
  type IssuanceRow,
  insertRunning,
  listRunning,
  updateIssuance,
} from './issuances.repository.js';
import { deleteSigningRequests } from './signing-requests.repository.js';

/** Another request for the FQDN is running, or has stored a certificate since the renewal was claimed. */
export class RenewalOvertaken extends Error {
  constructor() {
    super('another request for the FQDN is running or has just ended');
    this.name = 'RenewalOvertaken';
  }
}

/** A row for the issuance, and the id of the one that an earlier try of the renewal began for the same CSR and provider. */
interface NewRenewalIssuance {
  readonly issuance: IssuanceRow;
  readonly formerId: string | undefined;
}

interface LeaveTerms extends LeaseTerms {
  readonly clock: Clock;
}

/**
 * Records a try to renew as the running issuance of its FQDN; returns the row. The one of an earlier try is continued with
 * its id and its age. Throws RenewalOvertaken if another one is running: the transaction must fail then.
 */
export async function beginRenewalIssuance(
  tx: Tx,
  { issuance, formerId }: NewRenewalIssuance,
  terms: LeaveTerms,
): Promise<IssuanceRow> {
  if (formerId === undefined && (await insertRunning(tx, [issuance])).size === 1) return issuance;
  const now = terms.clock.now();
  for (const running of await listRunning(tx, [issuance.fqdnId])) {
    // `claimRenewals` leaves out the FQDNs of all others
    if (running.cause !== 'renewal' || !isLapsed(running, now)) throw new RenewalOvertaken();
    // its entry is another one, such as a test
    if (running.id !== formerId) await leaveRenewalIssuance(tx, running, terms);
  }
  const begun = formerId === undefined ? issuance : await continueFormer(tx, issuance, formerId);
  if ((await insertRunning(tx, [begun])).size === 0) throw new RenewalOvertaken();
  return begun;
}

/** The row to insert in the place of the former one, which is deleted; it may have ended, or be in the former table. */
async function continueFormer(tx: Tx, issuance: IssuanceRow, formerId: string): Promise<IssuanceRow> {
  const former = await findIssuance(tx, formerId);
  await endRenewalIssuances(tx, [formerId]);
  if (former === undefined) return { ...issuance, id: formerId };
  const { leaseUntil, orderState, orderUrl, isConfirmed } = issuance;
  const claimed = { attempt: former.attempt + 1, leaseUntil, nextAt: null, finishedAt: null } as const;
  return { ...former, ...claimed, state: 'running', orderState, orderUrl, isConfirmed };
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
  } else if (issuance.orderState === null) {
    await deleteIssuances(tx, [issuance]);
  } else {
    await updateIssuance(tx, issuance, { state: 'failed', leaseUntil: null, finishedAt: now });
  }
}

/** Deletes the issuances of renewals that have ended, whichever worker has claimed them, in whichever table they are. */
export async function endRenewalIssuances(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const count = await deleteIssuancesById(tx, ids);
  if (count < ids.length) await deleteSigningRequests(tx, ids);
}
