import type { AllowedNames } from '@certloop/contracts';
import {
  capabilitiesOf,
  column,
  defineTable,
  executeSql,
  findRow,
  insertOrUpdate,
  querySql,
  type RowOf,
  type Tx,
  updateRows,
} from '@certloop/db';
import { maxNamed, type ProviderUsers } from '../../providers/provider-users.repository.js';
import { spaces } from '../../spaces/spaces.repository.js';

export const spacePolicies = defineTable('space_policies', {
  columns: {
    spaceId: column.uuid().primary(),
    /** Another one after each change: by it a process knows whether the rules that it remembers are still those. */
    revision: column.uuid(),
    allowedNames: column.json<AllowedNames>().nullable(),
    providerIds: column.json<string[]>().nullable(),
    /** The FQDN, by name, after which the review of the space's FQDNs goes on; null when it is complete. */
    reviewedTo: column.word(253).nullable(),
    /** When the review may be taken up; null when it is complete. */
    reviewDueAt: column.instant().nullable(),
  },
  indexes: [{ columns: ['reviewDueAt'], where: 'review_due_at is not null' }],
  references: [{ columns: ['spaceId'], table: 'spaces', onDelete: 'CASCADE' }],
});

/** The policy of a space that has, or had, one, or was reviewed after a change of the default one. */
export type SpacePolicyRow = RowOf<typeof spacePolicies>;

export async function findSpacePolicy(tx: Tx, spaceId: string): Promise<SpacePolicyRow | undefined> {
  return findRow(tx, spacePolicies, { spaceId });
}

/** Puts the row in the place of the one before; the space is locked, but a start may add its row. */
export function storeSpacePolicy(tx: Tx, row: SpacePolicyRow): Promise<void> {
  return insertOrUpdate(tx, spacePolicies, row);
}

/** Makes reviews due of all spaces without a policy of their own, because the default one has changed. */
export async function beginReviewsOfDefault(tx: Tx, revision: string, now: Date): Promise<void> {
  const restart = `update space_policies set revision = $1, reviewed_to = '', review_due_at = $2
    where not ${hasLimits('space_policies')}`;
  await executeSql(tx, restart, [revision, now]);
  // skips a space that another process is deleting; the row would refer to none
  const lock = capabilitiesOf(tx).hasConcurrentWriters ? 'for key share of s' : '';
  const begin = `insert into space_policies (space_id, revision, reviewed_to, review_due_at)
    select s.id, $1, '', $2 from spaces s
    where not exists (select 1 from space_policies p where p.space_id = s.id) ${lock}
    on conflict (space_id) do nothing`;
  await executeSql(tx, begin, [revision, now]);
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

/** Writes down how far the review has come; false when the policy was changed in the meantime. */
export async function advanceReview(
  tx: Tx,
  { spaceId, revision }: SpacePolicyRow,
  change: Pick<SpacePolicyRow, 'reviewedTo' | 'reviewDueAt'>,
): Promise<boolean> {
  return (await updateRows(tx, spacePolicies, { spaceId, revision }, change)) === 1;
}

/** Policies that name a provider, by the names of their spaces; the default one by that of its setting. */
export async function findPoliciesOfProvider(tx: Tx, providerId: string): Promise<ProviderUsers> {
  const text = `select s.name as name from space_policies p join spaces s on s.id = p.space_id
    where cast(p.provider_ids as text) like $1
    union all select 'ISSUANCE_POLICY_DEFAULT' from default_policies d
    where cast(d.provider_ids as text) like $1 order by 1`;
  const rows = await querySql(tx, { name: spaces.columns.name }, text, [`%"${providerId}"%`]);
  return { count: rows.length, fqdnIds: [], names: rows.slice(0, maxNamed).map(({ name }) => name) };
}

/** SQL condition of a policy that limits something; a removed one keeps its row. */
export function hasLimits(alias: string): string {
  return `(${alias}.allowed_names is not null or ${alias}.provider_ids is not null)`;
}

/** SQL condition of a space that a policy limits, its own or the default one; `id` is its column. */
export function isLimited(id: string): string {
  return `(exists (select 1 from default_policies)
    or exists (select 1 from space_policies o where o.space_id = ${id} and ${hasLimits('o')}))`;
}
