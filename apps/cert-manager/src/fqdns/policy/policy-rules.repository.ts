import type { AllowedNames, IssuancePolicy } from '@certloop/contracts';
import { column, placeholders, querySql, type Tx } from '@certloop/db';
import { findDefaultPolicy } from './default-policy.repository.js';
import { type PolicyRules, rulesOf } from './issuance-policy.js';
import { findSpacePolicy, hasLimits } from './space-policies.repository.js';

const open = rulesOf({ allowedNames: null, providerIds: null });

/** The rules of the space's policy, or else of the default one, as they are in this transaction. */
export async function findRules(tx: Tx, spaceId: string): Promise<PolicyRules> {
  return (await listRules(tx, [spaceId])).get(spaceId) ?? open;
}

/** The names that the space's policy, or else the default one, allows; null without a limit. */
export async function findAllowedNames(tx: Tx, spaceId: string): Promise<AllowedNames | null> {
  const own = await findSpacePolicy(tx, spaceId);
  return (limitsSomething(own) ? own : await findDefaultPolicy(tx))?.allowedNames ?? null;
}

/** The rules of those of the spaces that have a policy, or of all where there is a default one, by their ids. */
export async function listRules(
  tx: Tx,
  spaceIds: readonly string[],
): Promise<ReadonlyMap<string, PolicyRules>> {
  const columns = { spaceId: column.uuid().nullable(), revision: column.uuid() };
  const text = `select p.space_id, p.revision from space_policies p
    where p.space_id in (${placeholders(spaceIds.length)}) and ${hasLimits('p')}
    union all select null, d.revision from default_policies d`;
  const rows = await querySql(tx, columns, text, spaceIds);
  const revisions = new Map(rows.map((row) => [row.spaceId, row.revision]));
  const rules = new Map<string, PolicyRules>();
  for (const id of spaceIds) {
    const policyRevision = revisions.get(id) ?? revisions.get(null);
    if (policyRevision !== undefined)
      rules.set(id, await rulesOfRevision(tx, { spaceId: id, policyRevision }));
  }
  return rules;
}

/**
 * The rules of a revision that was read in this transaction. They are remembered, so that the usual reading of an FQDN
 * needs no further statement; a change by another process has another revision.
 */
export async function rulesOfRevision(
  tx: Tx,
  { spaceId, policyRevision }: { readonly spaceId: string; readonly policyRevision: string },
): Promise<PolicyRules> {
  const known = remembered.get(policyRevision);
  if (known !== undefined) return known.rules;
  const own = await findSpacePolicy(tx, spaceId);
  const isOwn = limitsSomething(own);
  const row = isOwn ? own : await findDefaultPolicy(tx);
  if (row === undefined) return open;
  // the default one limits names, but entitles no space to those of others
  const rules = isOwn ? rulesOf(row) : { ...rulesOf(row), grants: () => false };
  remember(row.revision, { rules, size: sizeOf(row) });
  return rules;
}

/** Whether it is a policy of its own; a removed one leaves its row. */
function limitsSomething<Policy extends IssuancePolicy>(own: Policy | undefined): own is Policy {
  return own !== undefined && (own.allowedNames !== null || own.providerIds !== null);
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
