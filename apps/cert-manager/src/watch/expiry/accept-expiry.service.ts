import { InvalidInput } from '@certloop/contracts';
import type { Database, Tx } from '@certloop/db';
import type { Clock } from '@certloop/server';
import type { Caller } from '../../access/caller.js';
import { requireLevel } from '../../access/permissions.js';
import { recordAudit } from '../../audit/audit.service.js';
import { findNewestCertificate } from '../../certificates/newest-certificates.repository.js';
import { updateExpiryAccepted } from '../../fqdns/fqdn-changes.repository.js';
import { type FqdnRow, lockFqdn } from '../../fqdns/fqdns.repository.js';
import { type FqdnPlace, fqdnAudit, type RefreshStates } from '../../fqdns/fqdns.service.js';
import { type ExpiryRequest, judgeExpiryRequest } from './expiry-acceptance.js';

export interface AcceptExpiryDeps {
  readonly db: Database;
  readonly clock: Clock;
  /** Makes the check of the FQDN follow. */
  readonly onModeChanged: (tx: Tx, fqdn: FqdnRow) => Promise<void>;
  readonly refreshStates: RefreshStates;
}

/**
 * Accepts that the certificate of an FQDN expires, or ends that; returns the FQDN as it is then. Throws NotFound,
 * Forbidden, and InvalidInput with renewal on or for a date that is not allowed.
 */
export async function acceptExpiry(
  { db, clock, onModeChanged, refreshStates }: AcceptExpiryDeps,
  caller: Caller,
  { spaceId, fqdnId, accepted, until }: FqdnPlace & ExpiryRequest,
): Promise<FqdnRow> {
  requireLevel(caller, spaceId, 'READ_WRITE');
  return db.transaction(async (tx) => {
    const fqdn = await lockFqdn(tx, spaceId, fqdnId);
    const now = clock.now();
    const { renewalEnabled, expiryAcceptedUntil: before } = fqdn;
    const endsAt = (await findNewestCertificate(tx, fqdnId))?.expiresAt;
    const verdict = judgeExpiryRequest({ accepted, until }, { renewalEnabled, endsAt, now });
    if ('path' in verdict) throw invalid(verdict);
    const changed = { ...fqdn, expiryAcceptedUntil: verdict.until };
    await updateExpiryAccepted(tx, fqdnId, verdict.until);
    const details = { before: wordsOf(before), after: wordsOf(verdict.until) };
    await recordAudit(tx, caller, fqdnAudit('fqdn.expiry', fqdn, details), now);
    // a date that was moved changes nothing for the check now
    const isAccepted = (moment: Date | null) => moment !== null && moment > now;
    if (isAccepted(before) !== isAccepted(verdict.until)) await onModeChanged(tx, changed);
    await refreshStates(tx, [fqdnId]);
    return changed;
  });
}

function wordsOf(until: Date | null) {
  return until === null ? { accepted: false } : { accepted: true, until: until.toISOString() };
}

function invalid({ path, message }: { readonly path: string; readonly message: string }): InvalidInput {
  return new InvalidInput(`${path}: ${message}`, { fields: [{ path, code: 'not_allowed', message }] });
}
