import {
  capabilitiesOf,
  executeSql,
  lockForUpdate,
  placeholders,
  querySql,
  type Tx,
  updateRows,
} from '@certloop/db';
import { In } from 'typeorm';
import { type TargetRow, targets } from './targets.repository.js';

/** Brings the next probe of targets of FQDNs forward, for those that no process probes now. */
export async function probeSooner(tx: Tx, fqdnIds: readonly string[], dueAt: Date): Promise<void> {
  await executeSql(
    tx,
    `update targets set due_at = $1 where fqdn_id in (${placeholders(fqdnIds.length, 2)})
     and enabled = true and mode = 'probe' and lease_token is null and due_at > $1`,
    [dueAt, ...fqdnIds],
  );
}

/** Has a target probed at once, unless a process probes it now. */
export async function probeNow(tx: Tx, id: string, now: Date): Promise<void> {
  await putOffProbe(tx, id, now);
}

/** Sets when a target is probed next, unless a process probes it now. */
export async function putOffProbe(tx: Tx, id: string, dueAt: Date): Promise<void> {
  await executeSql(tx, 'update targets set due_at = $1 where id = $2 and lease_token is null', [dueAt, id]);
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
