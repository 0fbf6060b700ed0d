import {
  claimDueBatch,
  column,
  defineTable,
  deleteRows,
  executeSql,
  type Tx,
  updateRows,
} from '@certloop/db';
import { LessThanOrEqual } from 'typeorm';

/** What is known of an FQDN's check in the monitor. It outlives the FQDN until the check is deleted. */
export interface WatchedFqdnRow {
  /** The FQDN's. */
  readonly id: string;
  readonly spaceId: string;
  /** Rises with each event, so that whoever tells the monitor sees that there was another meanwhile. */
  readonly version: number;
  /** Null while there is no check, as far as is known here. */
  readonly checkUuid: string | null;
  /** When the monitor last took a ping that begins a new period. */
  readonly pingedAt: Date | null;
  /** What the monitor was last told: the moment expected, from which ping counted, and when. */
  readonly toldDeadline: Date | null;
  readonly toldFrom: Date | null;
  readonly toldAt: Date | null;
  /** When to look again whether the check is as it should be. */
  readonly dueAt: Date;
  /** Whose turn it is; null when it is nobody's. It lapses when it is due again. */
  readonly leaseToken: string | null;
  /** Turns in a row that came to nothing. */
  readonly attempts: number;
  readonly lastError: string | null;
}

export const watchedFqdns = defineTable<WatchedFqdnRow>('watched_fqdns', {
  columns: {
    id: column.uuid().primary(),
    spaceId: column.uuid(),
    version: column.integer(),
    checkUuid: column.uuid().nullable(),
    pingedAt: column.instant().nullable(),
    toldDeadline: column.instant().nullable(),
    toldFrom: column.instant().nullable(),
    toldAt: column.instant().nullable(),
    dueAt: column.instant(),
    leaseToken: column.uuid().nullable(),
    attempts: column.integer(),
    lastError: column.text().nullable(),
  },
  // no reference: the row is what is left of an FQDN whose check is to be deleted
  indexes: [{ columns: ['dueAt', 'id'] }, { columns: ['spaceId'] }],
});

/** FQDNs to look at: one, those of a space, or all. */
export type WatchScope = { readonly fqdnId: string } | { readonly spaceId: string } | 'all';

// whoever has it looks again by the version; one that lapsed is due already
const dueAgain = `version = watched_fqdns.version + 1,
  due_at = case when watched_fqdns.lease_token is null then $1 else watched_fqdns.due_at end`;

/** Has the checks in the scope looked at, those that there are. */
export async function touchWatched(tx: Tx, scope: WatchScope, now: Date): Promise<void> {
  const text = `update watched_fqdns set ${dueAgain}`;
  if (scope === 'all') await executeSql(tx, text, [now]);
  else if ('fqdnId' in scope) await executeSql(tx, `${text} where id = $2`, [now, scope.fqdnId]);
  else await executeSql(tx, `${text} where space_id = $2`, [now, scope.spaceId]);
}

/** Has the check of an FQDN looked at, also when there is none yet. */
export async function watchFqdn(
  tx: Tx,
  { id, spaceId }: { readonly id: string; readonly spaceId: string },
  now: Date,
): Promise<void> {
  await executeSql(
    tx,
    `insert into watched_fqdns (id, space_id, version, due_at, attempts) values ($2, $3, 0, $1, 0)
     on conflict (id) do update set ${dueAgain}`,
    [now, id, spaceId],
  );
}

const missing = `insert into watched_fqdns (id, space_id, version, due_at, attempts)
  select f.id, f.space_id, 0, $1, 0 from fqdns f join spaces s on s.id = f.space_id
  where f.renewal_enabled = true and s.unwatched_since is null`;

/** Begins to watch what is to be watched in a space and is not yet. */
export async function watchSpace(tx: Tx, spaceId: string, now: Date): Promise<void> {
  await executeSql(tx, `${missing} and f.space_id = $2 on conflict (id) do nothing`, [now, spaceId]);
}

/** The same for the FQDNs whose ids lie between these, both included; how many there were. */
export async function watchBetween(
  tx: Tx,
  { first, last }: { readonly first: string; readonly last: string },
  dueAt: Date,
): Promise<number> {
  const text = `${missing} and f.id >= $2 and f.id <= $3 on conflict (id) do nothing`;
  return executeSql(tx, text, [dueAt, first, last]);
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

type Kept = 'id' | 'spaceId' | 'version' | 'leaseToken';
export type WatchedState = { readonly [Name in Exclude<keyof WatchedFqdnRow, Kept>]?: WatchedFqdnRow[Name] };

/** Ends this worker's turn; the next is at `dueAt`, or now when there was an event meanwhile. */
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

/** Forgets a check that is gone; false when there was an event meanwhile. */
export async function deleteWatched(tx: Tx, { id, leaseToken, version }: ClaimedFqdn): Promise<boolean> {
  return (await deleteRows(tx, watchedFqdns, { id, leaseToken, version })) === 1;
}
