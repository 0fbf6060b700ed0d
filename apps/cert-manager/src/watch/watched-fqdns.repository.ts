import {
  claimDueBatch,
  column,
  defineTable,
  deleteRows,
  executeSql,
  findRow,
  placeholders,
  type RowOf,
  type Tx,
  updateRows,
} from '@certloop/db';
import { In, LessThanOrEqual } from 'typeorm';

export type WaitingMode = 'renewal' | 'expiry';

export const watchedFqdns = defineTable('watched_fqdns', {
  columns: {
    /** The FQDN's. */
    id: column.uuid().primary(),
    spaceId: column.uuid(),
    /** Rises with each event, so that a worker that syncs the check notices a newer one. */
    version: column.integer(),
    /** Null while there is no check, as far as is known here. */
    checkUuid: column.uuid().nullable(),
    /** When the monitor last took a ping that begins a new period. */
    pingedAt: column.instant().nullable(),
    /**
     * Report that was last sent to the monitor: the expected moment, the ping that it counts from, and when it was sent.
     */
    toldDeadline: column.instant().nullable(),
    toldFrom: column.instant().nullable(),
    toldAt: column.instant().nullable(),
    /** When to look again whether the check is as it should be. */
    dueAt: column.instant(),
    /** Whose turn it is; null when it is no one's. It lapses when it is due again. */
    leaseToken: column.uuid().nullable(),
    /** Turns in a row that came to nothing. */
    attempts: column.integer(),
    lastError: column.text().nullable(),
    /** The mode of an FQDN whose check the monitor has no room for; null when it has its check or did not ask yet. */
    waiting: column.word<WaitingMode>(8).nullable(),
    /** Why what its targets serve makes the check fail; null while it does not. */
    servedFault: column.text().nullable(),
  },
  // no reference: the row is what is left of an FQDN whose check is to be deleted
  indexes: [
    { columns: ['dueAt', 'id'] },
    { columns: ['spaceId'] },
    { columns: ['waiting'], where: 'waiting is not null' },
  ],
});

/** Known state of the check of an FQDN in the monitor. It outlives the FQDN until the check is deleted. */
export type WatchedFqdnRow = RowOf<typeof watchedFqdns>;

/** FQDNs to look at: one, some, those of a space, or all. */
export type WatchScope =
  | { readonly fqdnId: string }
  | { readonly fqdnIds: readonly string[] }
  | { readonly spaceId: string }
  | 'all';

// the worker that holds the lease notices the change by the version; a row with an expired lease is due already
const dueAgain = `version = watched_fqdns.version + 1,
  due_at = case when watched_fqdns.lease_token is null then $1 else watched_fqdns.due_at end`;

/** Has the checks in the scope looked at, those that there are. */
export async function touchWatched(tx: Tx, scope: WatchScope, now: Date): Promise<void> {
  const text = `update watched_fqdns set ${dueAgain}`;
  if (scope === 'all') await executeSql(tx, text, [now]);
  else if ('fqdnIds' in scope)
    await executeSql(tx, `${text} where id in (${placeholders(scope.fqdnIds.length, 2)})`, [
      now,
      ...scope.fqdnIds,
    ]);
  else if ('fqdnId' in scope) await executeSql(tx, `${text} where id = $2`, [now, scope.fqdnId]);
  else await executeSql(tx, `${text} where space_id = $2`, [now, scope.spaceId]);
}

/** SQL of the fault of an FQDN's targets when its watch begins: that it ended would not be noticed otherwise. */
export const servedFault = (id: string): string => `(select s.fault from served_fqdns s where s.id = ${id})`;

/** Has the check of an FQDN looked at, also if there is none yet. */
export async function watchFqdn(
  tx: Tx,
  { id, spaceId }: { readonly id: string; readonly spaceId: string },
  now: Date,
): Promise<void> {
  await executeSql(
    tx,
    `insert into watched_fqdns (id, space_id, version, due_at, attempts, served_fault)
     values ($2, $3, 0, $1, 0, ${servedFault('$2')})
     on conflict (id) do update set ${dueAgain}`,
    [now, id, spaceId],
  );
}

/** Has the checks of FQDNs described to the monitor again. */
export async function forgetSent(tx: Tx, ids: readonly string[]): Promise<void> {
  await updateRows(tx, watchedFqdns, { id: In([...ids]) }, { toldAt: null });
}

/** Whether the monitor has taken a ping of the check that there is now, or perhaps takes one at this moment. */
export async function wasPinged(tx: Tx, id: string): Promise<boolean> {
  const row = await findRow(tx, watchedFqdns, { id });
  return row !== undefined && (row.pingedAt !== null || row.leaseToken !== null);
}

export interface WatchClaim {
  readonly now: Date;
  readonly token: string;
  readonly until: Date;
  readonly limit: number;
}

/** A row that is a worker's, until its turn lapses. */
export type ClaimedFqdn = WatchedFqdnRow & { readonly leaseToken: string };

/** Takes checks that are due, the earliest first. */
export async function claimWatched(
  tx: Tx,
  { now, token: leaseToken, until, limit }: WatchClaim,
): Promise<ClaimedFqdn[]> {
  const rows = await claimDueBatch(tx, {
    table: watchedFqdns,
    where: { dueAt: LessThanOrEqual(now) },
    order: { dueAt: 'ASC', id: 'ASC' },
    limit,
    set: { dueAt: until, leaseToken },
  });
  return rows.map((row) => ({ ...row, leaseToken }));
}

type Unchanged = 'id' | 'spaceId' | 'version' | 'leaseToken' | 'servedFault';

export type WatchedState = {
  readonly [Name in Exclude<keyof WatchedFqdnRow, Unchanged>]?: WatchedFqdnRow[Name];
};

/** Ends this worker's turn; the next is at `dueAt`, or now when there was an event in the meantime. */
export async function releaseWatched(
  tx: Tx,
  { id, leaseToken, version }: ClaimedFqdn,
  change: WatchedState & { readonly dueAt: Date },
  now: Date,
): Promise<void> {
  const released = { ...change, leaseToken: null };
  if ((await updateRows(tx, watchedFqdns, { id, leaseToken, version }, released)) === 1) return;
  await updateRows(tx, watchedFqdns, { id, leaseToken }, { ...released, dueAt: now });
}

/** Forgets a check that is gone; false when there was an event in the meantime. */
export async function deleteWatched(tx: Tx, { id, leaseToken, version }: ClaimedFqdn): Promise<boolean> {
  return (await deleteRows(tx, watchedFqdns, { id, leaseToken, version })) === 1;
}

/** Why the targets of an FQDN make its check fail; null while they do not, or there is no check. */
export async function findServedFault(tx: Tx, id: string): Promise<string | null> {
  return (await findRow(tx, watchedFqdns, { id }))?.servedFault ?? null;
}

/** False when the FQDN is not watched. */
export async function updateServedFault(tx: Tx, id: string, servedFault: string | null): Promise<boolean> {
  return (await updateRows(tx, watchedFqdns, { id }, { servedFault })) === 1;
}
