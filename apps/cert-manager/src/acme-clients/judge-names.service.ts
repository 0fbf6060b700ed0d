import type { Tx } from '@certloop/db';
import { otherHolders } from '../fqdns/holders/held-name.js';
import { findHolders } from '../fqdns/holders/name-holders.repository.js';
import type { PolicyRules } from '../fqdns/policy/issuance-policy.js';
import { findRules } from '../fqdns/policy/policy-rules.repository.js';
import type { AcmeClientRow } from './acme-client.js';
import { type OrderedName, permitNames, type RefusedName, refusedName } from './client-names.js';

/**
 * The names that the client may not have at this moment: as `permitNames` says, and those that another space holds while
 * no policy of its own space allows them. Reads the same rows whatever the verdict. `known` are the rules of its space, if
 * this transaction has read them.
 */
export async function findRefusedNames(
  tx: Tx,
  client: Pick<AcmeClientRow, 'spaceId' | 'names'>,
  names: readonly OrderedName[],
  known?: PolicyRules,
): Promise<RefusedName[]> {
  const rules = known ?? (await findRules(tx, client.spaceId));
  const hostnames = names.filter(({ type }) => type === 'dns').map(({ value }) => value);
  const holders = await findHolders(tx, hostnames);
  const refused = new Set(permitNames(client, rules, names).map(({ name }) => name));
  for (const name of names) {
    const others = name.type === 'dns' ? otherHolders(name.value, client.spaceId, holders) : [];
    const isGranted = rules.grants(name.value);
    if (others.length > 0 && !isGranted) refused.add(name);
  }
  return names.filter((name) => refused.has(name)).map(refusedName);
}
