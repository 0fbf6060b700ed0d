import { Conflict, NotFound, type Target } from '@certloop/contracts';
import {
  capabilitiesOf,
  column,
  defineTable,
  deleteRows,
  executeSql,
  findRow,
  findRows,
  lockForUpdate,
  onUniqueViolation,
  placeholders,
  querySql,
  type Tx,
  updateRows,
} from '@certloop/db';
import { In } from 'typeorm';
import type { TargetSettings } from './target.js';

/** A target as it is stored. */
export interface TargetRow extends TargetSettings {
  readonly id: string;
  readonly fqdnId: string;
  readonly spaceId: string;
  readonly source: Target['source'];
  /** When it is probed next; while a process probes it, when its turn lapses. */
  readonly dueAt: Date;
  /** Of the process that probes it; null when none does. */
  readonly leaseToken: string | null;
  readonly createdAt: Date;
}

export const targets = defineTable<TargetRow>('targets', {
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
    dueAt: column.instant(),
    leaseToken: column.uuid().nullable(),
    createdAt: column.instant(),
  },
  indexes: [
    { columns: ['fqdnId', 'host', 'port', 'protocol', 'sni'], unique: true },
    { columns: ['spaceId'] },
    { columns: ['dueAt', 'id'], where: "enabled = true and mode = 'probe'" },
  ],
  references: [{ columns: ['fqdnId'], table: 'fqdns', onDelete: 'CASCADE' }],
});

const taken = () =>
  new Conflict('this FQDN has a target of the same host, port, protocol and sni already', {
    code: 'target_exists',
    title: 'Target already exists',
  });

/** Throws Conflict when the FQDN has a target of the same place. */
export async function insertTarget(tx: Tx, row: TargetRow): Promise<void> {
  await onUniqueViolation(() => tx.insert(targets, row), taken, [
    'fqdnId',
    'host',
    'port',
    'protocol',
    'sni',
  ]);
}

/** Throws as insertTarget does. */
export async function updateTargetRow(tx: Tx, id: string, change: Partial<TargetRow>): Promise<void> {
  await onUniqueViolation(() => updateRows(tx, targets, { id }, change), taken, [
    'fqdnId',
    'host',
    'port',
    'protocol',
    'sni',
  ]);
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

/** Brings the next probe of targets of FQDNs forward, for those that no process probes now. */
export async function probeSooner(tx: Tx, fqdnIds: readonly string[], dueAt: Date): Promise<void> {
  await executeSql(
    tx,
    `update targets set due_at = $1 where fqdn_id in (${placeholders(fqdnIds.length, 2)})
     and enabled = true and mode = 'probe' and lease_token is null and due_at > $1`,
    [dueAt, ...fqdnIds],
  );
}

/** A target that is a process's to probe, until its turn lapses. */
export type ClaimedTarget = TargetRow & { readonly leaseToken: string };

export interface TargetClaim {
  readonly now: Date;
  readonly token: string;
  readonly until: Date;
  /** How many due targets are looked at. */
  readonly limit: number;
  /** Which of them are taken. */
  readonly choose: (due: readonly TargetRow[]) => readonly TargetRow[];
}

/** Takes targets that are due, the earliest first; those that were not chosen are due again at `otherwise`. */
export async function claimTargets(
  tx: Tx,
  { now, token: leaseToken, until, limit, choose }: TargetClaim,
  otherwise: Date,
): Promise<ClaimedTarget[]> {
  // with literals, so that the partial index serves
  const due = await querySql<TargetRow>(
    tx,
    targets.columns,
    `select * from targets where enabled = true and mode = 'probe' and due_at <= $1
     order by due_at, id limit ${limit} ${capabilitiesOf(tx).hasConcurrentWriters ? 'for update skip locked' : ''}`,
    [now],
  );
  const rows = choose(due).map((row) => ({ ...row, leaseToken, dueAt: until }));
  const chosen = rows.map(({ id }) => id);
  const left = due.flatMap(({ id }) => (chosen.includes(id) ? [] : [id]));
  if (chosen.length > 0) await updateRows(tx, targets, { id: In(chosen) }, { dueAt: until, leaseToken });
  if (left.length > 0) await updateRows(tx, targets, { id: In(left) }, { dueAt: otherwise });
  return rows;
}

/** Takes one target for a probe now; undefined when another process probes it. */
export async function claimTarget(
  tx: Tx,
  target: TargetRow,
  { now, token: leaseToken, until }: Pick<TargetClaim, 'now' | 'token' | 'until'>,
): Promise<ClaimedTarget | undefined> {
  const text = `update targets set lease_token = $1, due_at = $2
    where id = $3 and (lease_token is null or due_at <= $4)`;
  if ((await executeSql(tx, text, [leaseToken, until, target.id, now])) !== 1) return undefined;
  return { ...target, leaseToken, dueAt: until };
}

/** The target as it is now, locked until the transaction ends; undefined when it is no longer this process's. */
export async function lockClaimedTarget(
  tx: Tx,
  { id, leaseToken }: Pick<ClaimedTarget, 'id' | 'leaseToken'>,
): Promise<TargetRow | undefined> {
  return (await lockForUpdate(tx, targets, { id, leaseToken }))[0];
}

/** Ends this process's turn; false when the target is gone or its turn has lapsed. */
export async function releaseTarget(
  tx: Tx,
  { id, leaseToken }: Pick<ClaimedTarget, 'id' | 'leaseToken'>,
  dueAt: Date,
): Promise<boolean> {
  return (await updateRows(tx, targets, { id, leaseToken }, { dueAt, leaseToken: null })) === 1;
}
