import type { Tx } from '@certloop/db';
import type { Caller } from '../../access/caller.js';
import { requireLevel } from '../../access/permissions.js';
import { recordAudit } from '../../audit/audit.service.js';
import { findNewestCertificate } from '../../certificates/newest-certificates.repository.js';
import type { DbDeps } from '../../db-deps.js';
import { updateExpiryAccepted } from '../../fqdns/fqdn-changes.repository.js';
import { type FqdnRow, lockFqdn } from '../../fqdns/fqdns.repository.js';
import { type FqdnPlace, fqdnAudit } from '../../fqdns/fqdns.service.js';
import { invalidField } from '../../http/problem.js';
import { type ExpiryRequest, validateExpiryRequest } from './expiry-acceptance.js';

export interface AcceptExpiryDeps extends DbDeps {
  readonly emit: ExpiryEvents;
}

/** Events of accepted expiries; `changes/reactions.service.ts` lists what follows each of them. */
export interface ExpiryEvents {
  /** It was accepted until another moment that the certificate of the FQDN expires, or that ended. */
  expiryAccepted(tx: Tx, event: AcceptedExpiry): Promise<void>;
}

export interface AcceptedExpiry {
  readonly fqdn: FqdnRow;
  /** Whether the acceptance began or ended. */
  readonly isSwitched: boolean;
}

/**
 * Accepts that the certificate of an FQDN expires, or ends that; returns the FQDN as it is then. Throws NotFound,
 * Forbidden, and InvalidInput with renewal on or for a date that is not allowed.
 */
export async function acceptExpiry(
  { db, clock, emit }: AcceptExpiryDeps,
  caller: Caller,
  { spaceId, fqdnId, accepted, until }: FqdnPlace & ExpiryRequest,
): Promise<FqdnRow> {
  requireLevel(caller, spaceId, 'READ_WRITE');
  return db.transaction(async (tx) => {
    const fqdn = await lockFqdn(tx, spaceId, fqdnId);
    const now = clock.now();
    const { renewalEnabled, expiryAcceptedUntil: before } = fqdn;
    const endsAt = (await findNewestCertificate(tx, fqdnId))?.expiresAt;
    const verdict = validateExpiryRequest({ accepted, until }, { renewalEnabled, endsAt, now });
    if ('path' in verdict) throw invalidField(verdict.path, verdict.message);
    const changed = { ...fqdn, expiryAcceptedUntil: verdict.until };
    await updateExpiryAccepted(tx, fqdnId, verdict.until);
    const details = { before: wordsOf(before), after: wordsOf(verdict.until) };
    await recordAudit(tx, caller, fqdnAudit('fqdn.expiry', fqdn, details), now);
    const isAccepted = (moment: Date | null) => moment !== null && moment > now;
    const isSwitched = isAccepted(before) !== isAccepted(verdict.until);
    await emit.expiryAccepted(tx, { fqdn: changed, isSwitched });
    return changed;
  });
}

function wordsOf(until: Date | null) {
  return until === null ? { accepted: false } : { accepted: true, until: until.toISOString() };
}
