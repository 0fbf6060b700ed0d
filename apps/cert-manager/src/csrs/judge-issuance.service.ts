import type { InvalidInput } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import type { FqdnRow } from '../fqdns/fqdns.repository.js';
import type { AskedNames, PolicyRefusal, PolicyRules } from '../fqdns/issuance-policy.js';
import { policyRefused } from '../fqdns/policy-refused.js';
import { findRules } from '../fqdns/space-policies.repository.js';
import { storedNames } from './asked-names.js';
import type { CsrRow } from './csrs.repository.js';

/** What is to be issued: for whom, and as far as known by which CSR and provider. */
export interface Issuance {
  readonly fqdn: Pick<FqdnRow, 'spaceId' | 'fqdn'>;
  readonly csr?: Pick<CsrRow, 'csrPem' | 'description'> | undefined;
  readonly provider?: { readonly id: string; readonly name: string } | undefined;
}

/** What the rules refuse of it; the FQDN's own name first. */
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

/** Throws InvalidInput where the policy of the space does not allow it any more. */
export async function requireAllowed(tx: Tx, issuance: Issuance): Promise<void> {
  const refusal = await findRefusal(tx, issuance);
  if (refusal !== undefined) throw refusal;
}
