import type { InvalidInput, NotFound } from '@certloop/contracts';
import type { Database, Tx } from '@certloop/db';
import { type BatchEnd, type BatchPatience, batched } from '@certloop/server';
import { keyCompromised, listCompromisedKeys } from '../../certificates/compromised-keys.repository.js';
import { listNewestCertificateIds } from '../../certificates/newest-certificates.repository.js';
import { type CsrRow, csrNotFound, listLatestCsrs } from '../../csrs/csrs.repository.js';
import { refusedBy } from '../../csrs/judge-issuance.service.js';
import { type FqdnRow, fqdnNotFound } from '../../fqdns/fqdns.repository.js';
import type { PolicyRules } from '../../fqdns/policy/issuance-policy.js';
import { rulesOfRevision } from '../../fqdns/policy/policy-rules.repository.js';
import { listFqdnsWithPolicy } from '../../fqdns/policy/space-policies.repository.js';
import {
  listProvidersById,
  type ProviderRow,
  providerNotFound,
} from '../../providers/providers.repository.js';

/** What a caller asks to have signed, and by whom. */
export interface OrderInput {
  readonly spaceId: string;
  readonly fqdnId: string;
  readonly providerId: string;
}

/** What is signed, and by whom. */
export interface Order {
  readonly fqdn: FqdnRow;
  readonly csr: CsrRow;
  readonly provider: ProviderRow;
  readonly newestId: string | undefined;
  /** Why the policy of the space does not allow it, or that the key is compromised. */
  readonly refusal: InvalidInput | undefined;
}

// as many as one connection reads in a few milliseconds
const maxTogether = 32;

/**
 * Finds what an input names, those that come at the same time by the same statements, as of a moment after the call.
 * Rejects with NotFound when the space has no such FQDN, that has no CSR, or the provider is not there.
 */
export function createOrderFinder(
  db: Database,
  patience?: BatchPatience,
): (input: OrderInput) => Promise<Order> {
  return batched((inputs) => db.read((tx) => findOrders(tx, inputs)), maxTogether, patience);
}

async function findOrders(tx: Tx, inputs: readonly OrderInput[]): Promise<BatchEnd<Order>[]> {
  const ids = [...new Set(inputs.map(({ fqdnId }) => fqdnId))];
  const fqdns = new Map((await listFqdnsWithPolicy(tx, ids)).map((fqdn) => [fqdn.id, fqdn]));
  const csrs = new Map((await listLatestCsrs(tx, ids)).map((csr) => [csr.fqdnId, csr]));
  const newest = new Map((await listNewestCertificateIds(tx, ids)).map(({ fqdnId, id }) => [fqdnId, id]));
  const compromised = await listCompromisedKeys(
    tx,
    [...csrs.values()].map(({ spkiSha256 }) => spkiSha256),
  );
  const asked = [...new Set(inputs.map(({ providerId }) => providerId))];
  const providers = new Map((await listProvidersById(tx, asked)).map((provider) => [provider.id, provider]));
  const rules = new Map<string | null, PolicyRules>();
  for (const fqdn of fqdns.values()) rules.set(fqdn.policyRevision, await rulesOfRevision(tx, fqdn));
  return inputs.map(({ spaceId, fqdnId, providerId }): BatchEnd<Order> => {
    const fqdn = fqdns.get(fqdnId);
    if (fqdn?.spaceId !== spaceId) return refused(fqdnNotFound());
    const csr = csrs.get(fqdnId);
    if (csr === undefined) return refused(csrNotFound('no CSR is stored for this FQDN'));
    const provider = providers.get(providerId);
    if (provider === undefined) return refused(providerNotFound());
    const asked = rules.get(fqdn.policyRevision);
    const keyRefusal = compromised.has(csr.spkiSha256) ? keyCompromised() : undefined;
    const refusal = (asked && refusedBy(asked, { fqdn, csr, provider })) ?? keyRefusal;
    return {
      status: 'fulfilled',
      value: { fqdn, csr, provider, newestId: newest.get(fqdnId), refusal },
    };
  });
}

function refused(reason: NotFound): BatchEnd<never> {
  return { status: 'rejected', reason };
}
