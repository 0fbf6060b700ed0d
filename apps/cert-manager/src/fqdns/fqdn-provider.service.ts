import type { InvalidInput } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import { invalidField } from '../http/problem.js';
import { lockProviderForShare, type ProviderRow } from '../providers/providers.repository.js';
import type { FqdnRow } from './fqdns.repository.js';
import { policyRefused } from './policy/policy-refused.js';
import { findRules } from './policy/policy-rules.repository.js';

/** The provider of the id, locked until the transaction ends. Throws InvalidInput if there is none. */
export async function namedProvider(tx: Tx, providerId: string | null): Promise<ProviderRow | undefined> {
  if (providerId === null) return undefined;
  const provider = await lockProviderForShare(tx, providerId);
  if (provider === undefined) throw unknownProvider();
  return provider;
}

/** The refusal for an id that names no provider. */
export function unknownProvider(): InvalidInput {
  const message = 'names no provider; GET /providers lists them';
  return invalidField('providerId', message, 'unknown_provider', { code: 'unknown_provider' });
}

/** Throws InvalidInput unless the policy of the space allows the name and the provider. */
export async function requireFqdnAllowed(
  tx: Tx,
  { spaceId, fqdn }: Pick<FqdnRow, 'spaceId' | 'fqdn'>,
  provider: ProviderRow | undefined,
): Promise<void> {
  const rules = await findRules(tx, spaceId);
  const [first, ...others] = [
    rules.refusalOfFqdn(fqdn) ?? [],
    provider === undefined ? [] : (rules.refusalOfProvider(provider) ?? []),
  ].flat();
  if (first !== undefined) throw policyRefused([first, ...others]);
}
