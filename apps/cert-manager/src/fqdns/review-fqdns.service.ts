import type { ReviewedName } from '@certloop/contracts';
import type { Caller } from '../access/caller.js';
import { requireLevel, spaceNotFound } from '../access/permissions.js';
import { spaceExists } from '../spaces/spaces.repository.js';
import { findFqdnIds } from './fqdns.repository.js';
import type { FqdnsDeps } from './fqdns.service.js';
import { hostnamesIn, reviewNames } from './name-review.js';
import { describeRefusals } from './policy/policy-refused.js';
import { findRules } from './policy/policy-rules.repository.js';

/** What would become of names if they were added to a space; stores nothing. Throws NotFound and Forbidden. */
export async function reviewFqdns(
  { db }: Pick<FqdnsDeps, 'db'>,
  caller: Caller,
  { spaceId, names }: { readonly spaceId: string; readonly names: readonly string[] },
): Promise<ReviewedName[]> {
  requireLevel(caller, spaceId, 'READ_WRITE');
  return db.read(async (tx) => {
    if (!(await spaceExists(tx, spaceId))) throw spaceNotFound();
    const rules = await findRules(tx, spaceId);
    return reviewNames(names, {
      stored: await findFqdnIds(tx, spaceId, hostnamesIn(names)),
      refusalOf: (hostname) => {
        const refusal = rules.refusalOfFqdn(hostname);
        return refusal && describeRefusals([refusal]);
      },
    });
  });
}
