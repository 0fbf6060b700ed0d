import type { AllowedNames, IssuancePolicy } from '@certloop/contracts';
import {
  column,
  defineTable,
  findRow,
  insertMany,
  placeholders,
  querySql,
  type Tx,
  updateRows,
} from '@certloop/db';
import { maxNamed, type ProviderUsers } from '../providers/provider-users.repository.js';
import { spaces } from '../spaces/spaces.repository.js';
import { type FqdnRow, fqdns } from './fqdns.repository.js';
import { type PolicyRules, rulesOf } from './issuance-policy.js';

/** The policy of a space that has, or had, one. */
export interface SpacePolicyRow extends IssuancePolicy {
  readonly spaceId: string;
  /** Another one after each change: by it a process knows whether the rules that it remembers are still those. */
  readonly revision: string;
  /** The FQDN, by name, after which the review of the space's FQDNs goes on; null when it is complete. */
  readonly reviewedTo: string | null;
  /** When the review may be taken up; null when it is complete. */
  readonly reviewDueAt: Date | null;
}

export const spacePolicies = defineTable<SpacePolicyRow>('space_policies', {
  columns: {
    spaceId: column.uuid().primary(),
    revision: column.uuid(),
    allowedNames: column.json<AllowedNames>().nullable(),
    providerIds: column.json<string[]>().nullable(),
    reviewedTo: column.word(253).nullable(),
    reviewDueAt: column.instant().nullable(),
  },
  indexes: [{ columns: ['reviewDueAt'], where: 'review_due_at is not null' }],
  references: [{ columns: ['spaceId'], table: 'spaces', onDelete: 'CASCADE' }],
});

export async function findSpacePolicy(tx: Tx, spaceId: string): Promise<SpacePolicyRow | undefined> {
  return findRow(tx, spacePolicies, { spaceId });
}

/** Puts the row in the place of the one before; the space is locked. */
export async function storeSpacePolicy(tx: Tx, { spaceId, ...row }: SpacePolicyRow): Promise<void> {
  if ((await updateRows(tx, spacePolicies, { spaceId }, row)) === 0) {
    await insertMany(tx, spacePolicies, [{ spaceId, ...row }]);
  }
}

/** A policy whose review is due. */
export async function findDueReview(tx: Tx, now: Date): Promise<SpacePolicyRow | undefined> {
  const text = `select * from space_policies where review_due_at is not null and review_due_at <= $1
    order by review_due_at limit 1`;
  return (await querySql<SpacePolicyRow>(tx, spacePolicies.columns, text, [now]))[0];
}

/** Takes the review until the moment; false when another process was first, or the policy was changed. */
export async function claimReview(
  tx: Tx,
  { spaceId, revision, reviewDueAt: due }: SpacePolicyRow,
  reviewDueAt: Date,
): Promise<boolean> {
  if (due === null) return false;
  return (
    (await updateRows(tx, spacePolicies, { spaceId, revision, reviewDueAt: due }, { reviewDueAt })) === 1
  );
}

/** Writes down how far the review has come; false when the policy was changed meanwhile. */
export async function advanceReview(
  tx: Tx,
  { spaceId, revision }: SpacePolicyRow,
  change: Pick<SpacePolicyRow, 'reviewedTo' | 'reviewDueAt'>,
): Promise<boolean> {
  return (await updateRows(tx, spacePolicies, { spaceId, revision }, change)) === 1;
}

/** Policies that name a provider, by the names of their spaces. */
export async function findPoliciesOfProvider(tx: Tx, providerId: string): Promise<ProviderUsers> {
  const text = `select s.name from space_policies p join spaces s on s.id = p.space_id
    where cast(p.provider_ids as text) like $1 order by s.name`;
  const rows = await querySql(tx, { name: spaces.columns.name }, text, [`%"${providerId}"%`]);
  return { count: rows.length, fqdnIds: [], names: rows.slice(0, maxNamed).map(({ name }) => name) };
}

/** An FQDN with the revision of its space's policy, null if there is none. */
export type FqdnWithPolicy = FqdnRow & { readonly policyRevision: string | null };

const withPolicy = { ...fqdns.columns, policyRevision: column.uuid().nullable() };

/** Those of the FQDNs that are there, of whatever space; at least one is asked for. */
export function listFqdnsWithPolicy(tx: Tx, ids: readonly string[]): Promise<FqdnWithPolicy[]> {
  const text = `select f.*, p.revision as policy_revision from fqdns f
    left join space_policies p on p.space_id = f.space_id where f.id in (${placeholders(ids.length)})`;
  return querySql<FqdnWithPolicy>(tx, withPolicy, text, ids);
}

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
