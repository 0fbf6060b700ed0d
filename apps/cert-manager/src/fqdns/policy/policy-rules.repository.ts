import type { IssuancePolicy } from '@certloop/contracts';
import { placeholders, querySql, type Tx } from '@certloop/db';
import { type PolicyRules, rulesOf } from './issuance-policy.js';
import { type FqdnWithPolicy, findSpacePolicy, spacePolicies } from './space-policies.repository.js';

const open = rulesOf({ allowedNames: null, providerIds: null });

/** The rules of the space's policy as they are in this transaction. */
export async function findRules(tx: Tx, spaceId: string): Promise<PolicyRules> {
  const text = 'select revision from space_policies where space_id = $1';
  const [row] = await querySql(tx, { revision: spacePolicies.columns.revision }, text, [spaceId]);
  return row === undefined ? open : rulesOfRevision(tx, { spaceId, policyRevision: row.revision });
}

/** The rules of those of the spaces that have a policy, by the ids of the spaces. */
export async function listRules(
  tx: Tx,
  spaceIds: readonly string[],
): Promise<ReadonlyMap<string, PolicyRules>> {
  const { spaceId, revision } = spacePolicies.columns;
  const text = `select space_id, revision from space_policies where space_id in (${placeholders(spaceIds.length)})`;
  const rules = new Map<string, PolicyRules>();
  for (const row of await querySql(tx, { spaceId, revision }, text, spaceIds)) {
    rules.set(row.spaceId, await rulesOfRevision(tx, { ...row, policyRevision: row.revision }));
  }
  return rules;
}

/**
 * The rules of a revision that was read in this transaction. They are remembered, so that the usual reading of an FQDN
 * needs no further statement; a change by another process has another revision.
 */
export async function rulesOfRevision(
  tx: Tx,
  { spaceId, policyRevision }: Pick<FqdnWithPolicy, 'spaceId' | 'policyRevision'>,
): Promise<PolicyRules> {
  if (policyRevision === null) return open;
  const known = remembered.get(policyRevision);
  if (known !== undefined) return known.rules;
  const row = await findSpacePolicy(tx, spaceId);
  if (row === undefined) return open;
  const rules = rulesOf(row);
  remember(row.revision, { rules, size: sizeOf(row) });
  return rules;
}

interface Remembered {
  readonly rules: PolicyRules;
  /** Entries of its lists. */
  readonly size: number;
}

// some 10 MB
const maxEntries = 50_000;

const remembered = new Map<string, Remembered>();

/** Forgets the oldest where there are too many. */
function remember(revision: string, added: Remembered): void {
  remembered.set(revision, added);
  let entries = 0;
  for (const { size } of remembered.values()) entries += size;
  for (const [oldest, { size }] of remembered) {
    if (entries <= maxEntries) return;
    remembered.delete(oldest);
    entries -= size;
  }
}

function sizeOf({ allowedNames, providerIds }: IssuancePolicy): number {
  const lists = allowedNames === null ? [] : [allowedNames.names, allowedNames.suffixes, allowedNames.cidrs];
  return lists.reduce((sum, list) => sum + list.length, 10 + (providerIds?.length ?? 0));
}
