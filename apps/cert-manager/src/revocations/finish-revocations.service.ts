import { yieldBetween } from '@certloop/db';
import { findProvider } from '../providers/providers.repository.js';
import { claimPendingRevocations, type PendingRevocationRow } from './pending-revocations.repository.js';
import {
  askCa,
  canRetryRevocation,
  giveUpRevocation,
  putOffRevocation,
  type RevocationDeps,
  settleRevoked,
} from './settle-revocation.service.js';

// longer than a CA is given to answer
const leaseMs = 180_000;
const batch = 8;

/**
 * Completes revocations whose caller died or got no answer of the CA. A certificate that has expired in the meantime, or whose
 * provider is gone, is given up with an audit entry.
 */
export async function finishRevocations(deps: RevocationDeps): Promise<void> {
  const { db, clock } = deps;
  for await (const _round of yieldBetween()) {
    const now = clock.now();
    const claim = { now, until: new Date(now.getTime() + leaseMs), limit: batch };
    const due = await db.transaction((tx) => claimPendingRevocations(tx, claim));
    await Promise.all(due.map((pending) => finish(deps, pending)));
    if (due.length < batch) return;
  }
}

async function finish(deps: RevocationDeps, pending: PendingRevocationRow): Promise<void> {
  const { db, clock, logger } = deps;
  const provider = await db.read((tx) => findProvider(tx, pending.providerId));
  if (provider === undefined) return giveUpRevocation(deps, pending, undefined, 'its provider was deleted');
  if (pending.expiresAt <= clock.now()) {
    return giveUpRevocation(deps, pending, provider, 'the certificate expired before the CA answered');
  }
  try {
    const outcome = await askCa(deps, provider, pending);
    if (outcome.status === 'refused') return await giveUpRevocation(deps, pending, provider, outcome.message);
    await settleRevoked(deps, pending, provider, outcome);
    logger.info({ certificateId: pending.id, fqdn: pending.fqdn }, 'revocation.finished');
  } catch (error) {
    if (!canRetryRevocation(error)) throw error;
    await putOffRevocation(deps, pending, provider, error.message);
  }
}
