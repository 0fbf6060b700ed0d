import type { Tx } from '@certloop/db';
import { findNewestCertificate } from '../certificates/newest-certificates.repository.js';
import { findLatestCsr } from '../csrs/csrs.repository.js';
import { refusedBy } from '../csrs/issuance-refusals.service.js';
import type { FqdnRow } from '../fqdns/fqdns.repository.js';
import type { PolicyRules } from '../fqdns/policy/issuance-policy.js';
import {
  deletePolicyRefusal,
  findPolicyRefusal,
  storePolicyRefusal,
} from '../fqdns/policy/policy-refusals.repository.js';
import { findRules } from '../fqdns/policy/policy-rules.repository.js';
import type { PolicyVerdict } from '../fqdns/policy/policy-verdict.js';
import { findProvider } from '../providers/providers.repository.js';
import { noteForbidden, resumeRenewal } from '../renewals/queue/forbidden-renewals.service.js';

/**
 * Judges whether the policy of its space allows the next renewal of an FQDN, which is locked, and makes the queue follow:
 * its entry has the reason, and a renewal that waited for the policy is due at once. Returns the verdict if it is another
 * one than before.
 */
export async function reviewFqdn(tx: Tx, fqdn: FqdnRow, now: Date): Promise<PolicyVerdict | undefined> {
  const before = await findPolicyRefusal(tx, fqdn.id);
  const reason = await findReason(tx, await findRules(tx, fqdn.spaceId), fqdn);
  if (reason === before?.reason) return undefined;
  if (reason === undefined) {
    await deletePolicyRefusal(tx, fqdn.id);
    await resumeRenewal(tx, fqdn.id, now);
    return { refusal: undefined };
  }
  await storePolicyRefusal(tx, { fqdnId: fqdn.id, spaceId: fqdn.spaceId, reason }, now);
  await noteForbidden(tx, fqdn.id, reason);
  return { refusal: reason };
}

async function findReason(tx: Tx, rules: PolicyRules, fqdn: FqdnRow): Promise<string | undefined> {
  if (rules.isOpen) return undefined;
  const csr = await findLatestCsr(tx, fqdn.id);
  const providerId = (await findNewestCertificate(tx, fqdn.id))?.providerId ?? fqdn.providerId;
  const provider = providerId === null ? undefined : await findProvider(tx, providerId);
  return refusedBy(rules, { fqdn, csr, provider })?.message;
}
