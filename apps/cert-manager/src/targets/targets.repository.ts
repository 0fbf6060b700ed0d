import { Conflict, NotFound, type Target } from '@certloop/contracts';
import {
  column,
  defineTable,
  deleteRows,
  executeSql,
  findRow,
  findRows,
  onUniqueViolation,
  placeholders,
  type RowOf,
  type Tx,
  updateRows,
} from '@certloop/db';

/** Columns that no two targets share. */
const place = ['fqdnId', 'host', 'port', 'protocol', 'sni'] as const;

export const targets = defineTable('targets', {
  columns: {
    id: column.uuid().primary(),
    fqdnId: column.uuid(),
    spaceId: column.uuid(),
    host: column.word(253),
    port: column.integer(),
    protocol: column.word<Target['protocol']>(8),
    sni: column.word(253),
    addresses: column.json<readonly string[]>().nullable(),
    mode: column.word<Target['mode']>(6),
    everySeconds: column.integer(),
    graceSeconds: column.integer(),
    enabled: column.boolean(),
    source: column.word<Target['source']>(5),
    /** When it is probed next; while a process probes it, when its turn lapses. */
    dueAt: column.instant(),
    /** Of the process that probes it; null when none does. */
    leaseToken: column.uuid().nullable(),
    createdAt: column.instant(),
    /** True: what is served there becomes the newest certificate of the FQDN; null: it is judged by the one stored here. */
    adopt: column.boolean().nullable(),
  },
  indexes: [
    { columns: place, unique: true },
    { columns: ['spaceId'] },
    { columns: ['dueAt', 'id'], where: "enabled = true and mode = 'probe'" },
  ],
  references: [{ columns: ['fqdnId'], table: 'fqdns', onDelete: 'CASCADE' }],
});

/** A target as it is stored. */
export type TargetRow = RowOf<typeof targets>;

const taken = () =>
  new Conflict('this FQDN already has a target with the same host, port, protocol and sni', {
    code: 'target_exists',
    title: 'Target already exists',
  });

/** Throws Conflict when the FQDN has a target of the same place. */
export async function insertTarget(tx: Tx, row: TargetRow): Promise<void> {
  await onUniqueViolation(() => tx.insert(targets, row), taken, place);
}

/** Throws as insertTarget does. */
export async function updateTargetRow(tx: Tx, id: string, change: Partial<TargetRow>): Promise<void> {
  await onUniqueViolation(() => updateRows(tx, targets, { id }, change), taken, place);
}

export async function deleteTargetRow(tx: Tx, id: string): Promise<void> {
  await deleteRows(tx, targets, { id });
}

/** Targets of an FQDN, oldest first. */
export function listTargetsOf(tx: Tx, fqdnId: string): Promise<TargetRow[]> {
  return findRows(tx, targets, { fqdnId }, { order: { by: ['createdAt', 'id'], direction: 'asc' } });
}

/** Throws NotFound when the FQDN has no such target. */
export async function getTarget(tx: Tx, fqdnId: string, id: string): Promise<TargetRow> {
  const row = await findRow(tx, targets, { id, fqdnId });
  if (row !== undefined) return row;
  throw new NotFound('target not found', { code: 'target_not_found', title: 'Target not found' });
}

export async function countTargetsOfSpace(tx: Tx, spaceId: string): Promise<number> {
  return tx.countBy(targets, { spaceId });
}

/** The target of the FQDN at the place; undefined if there is none. */
export async function findTargetAt(
  tx: Tx,
  fqdnId: string,
  { host, port, protocol, sni }: Pick<TargetRow, 'host' | 'port' | 'protocol' | 'sni'>,
): Promise<TargetRow | undefined> {
  return findRow(tx, targets, { fqdnId, host, port, protocol, sni });
}

/** Whether certificates that the targets of the FQDN serve are adopted. */
export async function hasAdoptingTarget(tx: Tx, fqdnId: string): Promise<boolean> {
  return (await tx.countBy(targets, { fqdnId, adopt: true, enabled: true })) > 0;
}

/** Has what the targets of these FQDNs serve judged by the certificate stored here. */
export async function endAdoptionOf(tx: Tx, fqdnIds: readonly string[]): Promise<void> {
  await executeSql(
    tx,
    `update targets set adopt = null where fqdn_id in (${placeholders(fqdnIds.length)}) and adopt = true`,
    fqdnIds,
  );
}
