import type { InvalidInput } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import type { FqdnRow } from '../fqdns/fqdns.repository.js';
import type { AskedNames, PolicyRefusal, PolicyRules } from '../fqdns/policy/issuance-policy.js';
import { policyRefused } from '../fqdns/policy/policy-refused.js';
import { findRules, listRules } from '../fqdns/policy/policy-rules.repository.js';
import { storedNames } from './asked-names.js';
import type { CsrRow } from './csrs.repository.js';

/**
 * Issuance that is to be allowed or refused: for which FQDN, and, as far as known, with which CSR and by which
 * provider.
 */
export interface Issuance {
  readonly fqdn: Pick<FqdnRow, 'spaceId' | 'fqdn'>;
  readonly csr?: Pick<CsrRow, 'csrPem' | 'description'> | undefined;
  readonly provider?: { readonly id: string; readonly name: string } | undefined;
}

/** Why the rules refuse an issuance; the FQDN's own name first. */
export function refusalsOf(rules: PolicyRules, { fqdn, csr, provider }: Issuance): PolicyRefusal[] {
  if (rules.isOpen) return [];
  const names: AskedNames | undefined = csr === undefined ? undefined : storedNames(csr);
  return [
    rules.refusalOfFqdn(fqdn.fqdn) ?? [],
    names === undefined ? [] : rules.refusalsOfCsr(names, fqdn.fqdn),
    provider === undefined ? [] : (rules.refusalOfProvider(provider) ?? []),
  ].flat();
}

/** The refusal by the rules; undefined when they allow it. */
export function refusedBy(rules: PolicyRules, issuance: Issuance): InvalidInput | undefined {
  const [first, ...others] = refusalsOf(rules, issuance);
  return first === undefined ? undefined : policyRefused([first, ...others]);
}

/** The refusal by the policy of the space, as it is in this transaction; undefined when it is allowed. */
export async function findRefusal(tx: Tx, issuance: Issuance): Promise<InvalidInput | undefined> {
  return refusedBy(await findRules(tx, issuance.fqdn.spaceId), issuance);
}

/** The same for several, at least one, in their order. */
export async function findRefusals(tx: Tx, all: readonly Issuance[]): Promise<(InvalidInput | undefined)[]> {
  const rules = await listRules(tx, [...new Set(all.map(({ fqdn }) => fqdn.spaceId))]);
  return all.map((issuance) => {
    const own = rules.get(issuance.fqdn.spaceId);
    return own && refusedBy(own, issuance);
  });
}

/** Throws InvalidInput if the policy of the space no longer allows it. */
export async function requireIssuanceAllowed(tx: Tx, issuance: Issuance): Promise<void> {
  const refusal = await findRefusal(tx, issuance);
  if (refusal !== undefined) throw refusal;
}
