import {
  column,
  defineTable,
  deleteRows,
  findRow,
  findRows,
  insertMany,
  querySql,
  type RowOf,
  type Tx,
  updateRows,
} from '@certloop/db';
import { IsNull, MoreThan } from 'typeorm';

export const policyRefusals = defineTable('policy_refusals', {
  columns: {
    fqdnId: column.uuid().primary(),
    spaceId: column.uuid(),
    /** A sentence for people. */
    reason: column.text(),
    since: column.instant(),
    /** When a renewal was first tried all the same; null while none was due. */
    triedAt: column.instant().nullable(),
  },
  indexes: [{ columns: ['triedAt'], where: 'tried_at is not null' }],
  references: [{ columns: ['fqdnId'], table: 'fqdns', onDelete: 'CASCADE' }],
});

/** An FQDN whose renewal the policy of its space forbids, as the last review of it found. */
export type PolicyRefusalRow = RowOf<typeof policyRefusals>;

export async function findPolicyRefusal(tx: Tx, fqdnId: string): Promise<PolicyRefusalRow | undefined> {
  return findRow(tx, policyRefusals, { fqdnId });
}

/** Returns the refusals of those of the FQDNs that are refused. */
export async function listPolicyRefusals(tx: Tx, fqdnIds: readonly string[]): Promise<PolicyRefusalRow[]> {
  return fqdnIds.length === 0 ? [] : findRows(tx, policyRefusals, { fqdnId: fqdnIds });
}

/** Refused FQDNs of all spaces in the order of their ids: those after `last`, at most `limit`. */
export function listPolicyRefusalsAfter(tx: Tx, last: string, limit: number): Promise<PolicyRefusalRow[]> {
  const where = last === '' ? {} : { fqdnId: MoreThan(last) };
  return tx.find(policyRefusals, { where, order: { fqdnId: 'ASC' }, take: limit });
}

/** Puts the refusal in the place of the one before; the FQDN is locked. */
export async function storePolicyRefusal(
  tx: Tx,
  { fqdnId, spaceId, reason }: Pick<PolicyRefusalRow, 'fqdnId' | 'spaceId' | 'reason'>,
  now: Date,
): Promise<void> {
  if ((await updateRows(tx, policyRefusals, { fqdnId }, { reason })) > 0) return;
  await insertMany(tx, policyRefusals, [{ fqdnId, spaceId, reason, since: now, triedAt: null }]);
}

export async function deletePolicyRefusal(tx: Tx, fqdnId: string): Promise<void> {
  await deleteRows(tx, policyRefusals, { fqdnId });
}

/** Notes that a renewal of a refused FQDN was due. */
export async function markRefusedTry(tx: Tx, fqdnId: string, now: Date): Promise<void> {
  await updateRows(tx, policyRefusals, { fqdnId, triedAt: IsNull() }, { triedAt: now });
}

const maxForbidden = 1000;

/** FQDNs whose renewal is due and forbidden: how many, counted up to `maxForbidden`, and the first of them. */
export async function findForbiddenRenewals(
  tx: Tx,
): Promise<{ readonly count: number; readonly first: string | undefined }> {
  const rows = await querySql(
    tx,
    { fqdn: column.word(253) },
    `select f.fqdn from policy_refusals r join fqdns f on f.id = r.fqdn_id
     where r.tried_at is not null and f.renewal_enabled = true order by r.tried_at limit ${maxForbidden}`,
  );
  return { count: rows.length, first: rows[0]?.fqdn };
}
