import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { IssuancePolicy } from '@certloop/contracts';
import type { Database } from '@certloop/db';
import { type Clock, type Logger, StartFailed } from '@certloop/server';
import { findDefaultPolicy, replaceDefaultPolicy } from '../fqdns/policy/default-policy.repository.js';
import { beginReviewsOfDefault } from '../fqdns/policy/space-policies.repository.js';
import { listProviders } from '../providers/providers.repository.js';

/**
 * Makes the policy of the settings the one of all spaces without a policy of their own; undefined allows every name. All
 * processes use what the last one that started has stored. A change makes reviews of these spaces due. Throws StartFailed
 * if it names an unknown provider.
 */
export async function applyDefaultPolicy(
  { db, clock, logger }: { readonly db: Database; readonly clock: Clock; readonly logger: Logger },
  policy: IssuancePolicy | undefined,
): Promise<void> {
  const isChanged = await db.transaction(async (tx) => {
    const stored = await findDefaultPolicy(tx);
    const { allowedNames, providerIds } = stored ?? {};
    if (isDeepStrictEqual(stored && { allowedNames, providerIds }, policy)) return false;
    const known = new Set((await listProviders(tx)).map(({ id }) => id));
    const unknown = policy?.providerIds?.find((id) => !known.has(id));
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
