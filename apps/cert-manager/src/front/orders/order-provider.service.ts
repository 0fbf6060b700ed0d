import type { Identifier } from '@certloop/acme-server/rules';
import type { Tx } from '@certloop/db';
import type { AcmeClientRow } from '../../acme-clients/acme-client.js';
import { refusedName } from '../../acme-clients/client-names.js';
import { provesByHand } from '../../acme-clients/client-provider.service.js';
import { findFqdn } from '../../fqdns/fqdns.repository.js';
import type { PolicyRules } from '../../fqdns/policy/issuance-policy.js';
import { findOrderProvider, findProvider, type ProviderRow } from '../../providers/providers.repository.js';
import { refusedIdentifiers } from '../rules/refused-identifiers.js';

/**
 * The provider of an order: that of the client, else that of its FQDN, else the built-in one that issues by orders. Throws
 * `rejectedIdentifier` if there is none, if the policy of the space does not allow it, or if it proves names by people.
 */
export async function providerOfOrder(
  tx: Tx,
  client: AcmeClientRow,
  fqdnId: string | undefined,
  { identifiers, rules }: { readonly identifiers: readonly Identifier[]; readonly rules: PolicyRules },
): Promise<ProviderRow> {
  const fqdn = fqdnId === undefined ? undefined : await findFqdn(tx, fqdnId);
  const id = client.providerId ?? fqdn?.providerId ?? null;
  const provider = id === null ? await findOrderProvider(tx) : await findProvider(tx, id);
  const isUsable =
    provider !== undefined && rules.refusalOfProvider(provider) === undefined && !provesByHand(provider);
  if (isUsable) return provider;
  throw refusedIdentifiers(identifiers.map(refusedName));
}
