import type { Caller } from '../../access/caller.js';
import { recordAudit } from '../../audit/audit.service.js';
import type { SignRefusal } from '../../providers/provider.js';
import type { IssuanceEvents } from '../jobs/issuance-worker.service.js';
import type { IssuanceSubject } from './find-obstacles.service.js';
import { changeOf, type LeaseTerms } from './issuance-state.js';
import { deleteIssuances, type IssuanceRow, updateIssuance } from './issuances.repository.js';
import { notAccepted } from './lost-certificate.service.js';
import type { StoreDeps } from './store-issued.service.js';
import { signAudit } from './store-signed.service.js';

export interface RefuseDeps extends Pick<StoreDeps, 'db' | 'clock'>, LeaseTerms {
  readonly emit: IssuanceEvents;
}

interface Refused {
  readonly caller: Caller;
  readonly subject: IssuanceSubject;
  /** Absent if none was recorded. */
  readonly issuance?: IssuanceRow;
}

/** Records why a call got no certificate, and ends its issuance, unless its CA may have issued: then it is asked again. */
export function recordRefusal(
  { db, clock, emit, leaseMs }: RefuseDeps,
  { caller, subject, issuance }: Refused,
  { reason, code, mayHaveIssued, unaccepted }: SignRefusal,
): Promise<void> {
  const { fqdn, provider } = subject;
  return db.transaction(async (tx) => {
    const now = clock.now();
    await recordAudit(tx, caller, refusalAudit(subject, { reason, code }), now);
    if (unaccepted !== undefined) await recordAudit(tx, caller, notAccepted(fqdn, provider, unaccepted), now);
    await emit.issuanceFailed(tx, { fqdn, reason });
    // last: a call that begins locks the FQDN first, and would wait for this row
    if (issuance !== undefined && mayHaveIssued === true) {
      await updateIssuance(tx, issuance, { ...changeOf(issuance, { kind: 'lose', now }, { leaseMs }) });
    } else if (issuance !== undefined) {
      await deleteIssuances(tx, [issuance]);
    }
  });
}

/** The entry of the audit log on a call that got no certificate. */
export function refusalAudit(
  subject: IssuanceSubject,
  {
    reason,
    code,
    ...more
  }: { readonly reason: string; readonly code?: string | undefined; readonly joined?: string },
) {
  const { provider } = subject;
  const provided = { provider: provider.name, providerId: provider.id };
  const details = { reason, ...(code !== undefined && { code }), ...provided, ...more };
  return { ...signAudit(subject, details), outcome: 'failure' as const };
}
