import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { IssuancePolicy } from '@certloop/contracts';
import { type Logger, StartFailed } from '@certloop/server';
import type { DbDeps } from '../db-deps.js';
import { findDefaultPolicy, replaceDefaultPolicy } from '../fqdns/policy/default-policy.repository.js';
import { beginReviewsOfDefault } from '../fqdns/policy/space-policies.repository.js';
import { lockProvidersForShare } from '../providers/providers.repository.js';

/**
 * Makes the policy of the settings the one of all spaces without a policy of their own; undefined allows every name. All
 * processes use what the last one that started has stored. A change makes reviews of these spaces due. Throws StartFailed
 * if it names an unknown provider.
 */
export async function applyDefaultPolicy(
  { db, clock, logger }: DbDeps & { readonly logger: Logger },
  policy: IssuancePolicy | undefined,
): Promise<void> {
  const isChanged = await db.transaction(async (tx) => {
    const stored = await findDefaultPolicy(tx);
    if (isDeepStrictEqual(stored && policyOf(stored), policy)) return false;
    const providerIds = policy?.providerIds ?? [];
    const known = new Set(await lockProvidersForShare(tx, providerIds));
    const unknown = providerIds.find((id) => !known.has(id));
    if (unknown !== undefined) {
      throw new StartFailed(
        `ISSUANCE_POLICY_DEFAULT: providerIds: ${unknown} names no provider; GET /providers lists them`,
      );
    }
    const revision = randomUUID();
    await replaceDefaultPolicy(tx, policy && { ...policy, revision });
    await beginReviewsOfDefault(tx, revision, clock.now());
    return true;
  });
  if (isChanged) logger.info({ isSet: policy !== undefined }, 'policy.default_changed');
}

function policyOf({ allowedNames, providerIds }: IssuancePolicy): IssuancePolicy {
  return { allowedNames, providerIds };
}
