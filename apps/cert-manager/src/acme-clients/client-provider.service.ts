import type { Tx } from '@certloop/db';
import type { PolicyRules } from '../fqdns/policy/issuance-policy.js';
import { policyRefused } from '../fqdns/policy/policy-refused.js';
import { invalidField } from '../http/problem.js';
import { challengeTermsOf } from '../providers/acme/challenge-terms.js';
import {
  findOrderProvider,
  lockProviderForShare,
  type ProviderRow,
} from '../providers/providers.repository.js';
import type { ClientWarning } from './client-address.js';

/**
 * The provider of a client, which is not deleted before the transaction ends; undefined if it names none. Throws
 * InvalidInput if there is no such provider, if it proves names by people, or if the policy of the space does not
 * allow it.
 */
export async function requireClientProvider(
  tx: Tx,
  providerId: string | null,
  rules: PolicyRules,
): Promise<ProviderRow | undefined> {
  if (providerId === null) return undefined;
  const provider = await lockProviderForShare(tx, providerId);
  if (provider === undefined) {
    throw invalidField('providerId', 'names no provider; GET /providers lists them', 'unknown_provider', {
      code: 'unknown_provider',
    });
  }
  if (provesByHand(provider)) {
    throw invalidField('providerId', manual(provider), 'provider_manual', {
      code: 'provider_manual',
      title: 'Provider with manual proof',
    });
  }
  const refusal = rules.refusalOfProvider(provider);
  if (refusal !== undefined) throw policyRefused([refusal]);
  return provider;
}

/** Whether a person must publish the proofs of each of its orders, which ACME clients do not wait for. */
export function provesByHand(provider: ProviderRow): boolean {
  return challengeTermsOf(provider).kind === 'manual';
}

function manual({ name }: ProviderRow): string {
  return `with the provider ${name}, a person must publish each proof, and ACME clients do not wait that long; choose another provider`;
}

/** Warns if the provider that is used where nothing names one proves names by people. */
export async function providerWarnings(tx: Tx, providerId: string | null): Promise<ClientWarning[]> {
  const usual = providerId === null ? await findOrderProvider(tx) : undefined;
  return usual !== undefined && provesByHand(usual)
    ? [{ code: 'provider_manual', message: manual(usual) }]
    : [];
}
