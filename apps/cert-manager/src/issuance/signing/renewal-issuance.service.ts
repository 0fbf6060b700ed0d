import type { Tx } from '@certloop/db';
import type { Clock } from '@certloop/server';
import { actBeside, changeOf, type LeaseTerms } from './issuance-state.js';
import {
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

/** A row for the issuance, and the id of the one that an earlier try of the renewal began under the same key. */
interface NewRenewalIssuance {
  readonly issuance: IssuanceRow;
  readonly formerId: string | undefined;
}

/**
 * Records a renewal by a provider without orders as the running issuance of its FQDN; returns the row. The one of an earlier
 * try is continued with its id and its age. Throws RenewalOvertaken if another one is running: the transaction must fail then.
 */
export async function beginRenewalIssuance(
  tx: Tx,
  { issuance, formerId }: NewRenewalIssuance,
  { leaseMs, clock }: LeaseTerms & { readonly clock: Clock },
): Promise<IssuanceRow> {
  if (formerId === undefined && (await insertRunning(tx, [issuance])).size === 1) return issuance;
  const now = clock.now();
  for (const running of await listRunning(tx, [issuance.fqdnId])) {
    if (!isAbandoned(running, issuance, now)) throw new RenewalOvertaken();
    // its entry is another one, such as a test
    const lost = changeOf(running, { kind: 'lose', now }, { leaseMs });
    if (running.id !== formerId) await updateIssuance(tx, running, { ...lost });
  }
  const begun = formerId === undefined ? issuance : await continueFormer(tx, issuance, formerId);
  if ((await insertRunning(tx, [begun])).size === 0) throw new RenewalOvertaken();
  return begun;
}

/** Whether an issuance is that of a renewal whose process has died. `claimRenewals` leaves out the FQDNs of all others. */
function isAbandoned(running: IssuanceRow, issuance: IssuanceRow, now: Date): boolean {
  const { cause, isOrder } = running;
  return cause === 'renewal' && !isOrder && actBeside(running, issuance, now) === 'take over';
}

/** The row to insert in the place of the former one, which is deleted; it may have ended, or be in the former table. */
async function continueFormer(tx: Tx, issuance: IssuanceRow, formerId: string): Promise<IssuanceRow> {
  const former = await findIssuance(tx, formerId);
  await endRenewalIssuances(tx, [formerId]);
  if (former === undefined) return { ...issuance, id: formerId };
  const { leaseUntil } = issuance;
  return { ...former, state: 'running', attempt: former.attempt + 1, leaseUntil, nextAt: null };
}

/** Deletes the issuances of renewals that have ended, whichever worker has claimed them, in whichever table they are. */
export async function endRenewalIssuances(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const count = await deleteIssuancesById(tx, ids);
  if (count < ids.length) await deleteSigningRequests(tx, ids);
}
