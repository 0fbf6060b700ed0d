import type { Tx } from '@certloop/db';
import { findNewestCertificate } from '../certificates/newest-certificates.repository.js';
import { findLatestCsr } from '../csrs/csrs.repository.js';
import { refusedBy } from '../csrs/judge-issuance.service.js';
import type { FqdnRow } from '../fqdns/fqdns.repository.js';
import type { PolicyRules } from '../fqdns/policy/issuance-policy.js';
import {
  deletePolicyRefusal,
  findPolicyRefusal,
  storePolicyRefusal,
} from '../fqdns/policy/policy-refusals.repository.js';
import { findRules } from '../fqdns/policy/policy-rules.repository.js';
import { findProvider } from '../providers/providers.repository.js';
import { noteForbidden, resumeRenewal } from '../renewals/queue/forbidden-renewals.service.js';
import type { WatchEvents } from '../watch/watch-events.service.js';

type Watch = Pick<WatchEvents, 'onForbidden' | 'onAllowedAgain'>;

/**
 * Judges whether the policy of its space allows the next renewal of an FQDN, which is locked, and makes what depends on
 * that follow: its entry in the queue has the reason, its check fails or recovers, and a renewal that waited for the
 * policy is due at once. The verdict where it is another one than before.
 */
export async function reviewFqdn(
  tx: Tx,
  watch: Watch,
  fqdn: FqdnRow,
  now: Date,
): Promise<'allowed' | 'refused' | undefined> {
  const before = await findPolicyRefusal(tx, fqdn.id);
  const reason = await findReason(tx, await findRules(tx, fqdn.spaceId), fqdn);
  if (reason === before?.reason) return undefined;
  if (reason === undefined) {
    await deletePolicyRefusal(tx, fqdn.id);
    await resumeRenewal(tx, fqdn.id, now);
    await watch.onAllowedAgain(tx, fqdn.id);
    return 'allowed';
  }
  await storePolicyRefusal(tx, { fqdnId: fqdn.id, spaceId: fqdn.spaceId, reason }, now);
  await noteForbidden(tx, fqdn.id, reason);
  await watch.onForbidden(tx, fqdn.id, reason);
  return 'refused';
}

async function findReason(tx: Tx, rules: PolicyRules, fqdn: FqdnRow): Promise<string | undefined> {
  if (rules.isOpen) return undefined;
  const csr = await findLatestCsr(tx, fqdn.id);
  const providerId = (await findNewestCertificate(tx, fqdn.id))?.providerId ?? fqdn.providerId;
  const provider = providerId === null ? undefined : await findProvider(tx, providerId);
  return refusedBy(rules, { fqdn, csr, provider })?.message;
}
