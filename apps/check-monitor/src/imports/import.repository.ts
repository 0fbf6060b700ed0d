import {
  capabilitiesOf,
  column,
  deleteRows,
  executeSql,
  insertMany,
  placeholders,
  querySql,
  type Tx,
} from '@certloop/db';
import { checkChannels } from '../channels/check-channels.repository.js';
import type { Check } from '../checks/check.js';
import { wholeCheckColumns, wholeChecks } from '../checks/rows/checks.repository.js';
import { flips } from '../flips/flips.repository.js';
import type { Micros } from '../instants.js';

// Lists have at most some hundreds of members, as many as an import handles at a time.

/** Which of the projects have a check that was pinged here. */
export async function listPingedProjects(tx: Tx, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const text = `select distinct project_id from checks where project_id in (${placeholders(ids.length, 1)})
    and exists (select 1 from pings where pings.check_id = checks.id)`;
  const rows = await querySql(tx, { projectId: column.uuid() }, text, ids);
  return new Set(rows.map(({ projectId }) => projectId));
}

export type ExistingCheck = Check & { readonly isPinged: boolean };

/** Returns the checks that exist here, locked until the transaction ends, with whether they were pinged here. */
export async function lockExistingChecks(
  tx: Tx,
  uuids: readonly string[],
): Promise<Map<string, ExistingCheck>> {
  if (uuids.length === 0) return new Map();
  const list = placeholders(uuids.length, 1);
  if (capabilitiesOf(tx).hasConcurrentWriters) {
    const lock = `select 1 from check_states where check_id in (select id from checks where uuid in (${list}))
      order by check_id for update`;
    await executeSql(tx, lock, uuids);
  }
  const text = `select *, exists (select 1 from pings where pings.check_id = checks.id) as is_pinged
    from ${wholeChecks} where uuid in (${list})`;
  const columns = { ...wholeCheckColumns, isPinged: column.boolean() };
  const rows = await querySql(tx, columns, text, uuids);
  return new Map(rows.map((row) => [row.uuid, row]));
}

/** Uuids of the checks that have these badges, by badge. */
export async function findBadgeHolders(tx: Tx, badgeUuids: readonly string[]): Promise<Map<string, string>> {
  if (badgeUuids.length === 0) return new Map();
  const text = `select badge_uuid, uuid from checks where badge_uuid in (${placeholders(badgeUuids.length, 1)})`;
  const rows = await querySql(tx, { badgeUuid: column.uuid(), uuid: column.uuid() }, text, badgeUuids);
  return new Map(rows.map(({ badgeUuid, uuid }) => [badgeUuid, uuid]));
}

export async function findCheckIds(tx: Tx, uuids: readonly string[]): Promise<Map<string, number>> {
  if (uuids.length === 0) return new Map();
  const text = `select id, uuid from checks where uuid in (${placeholders(uuids.length, 1)})`;
  const rows = await querySql(tx, { id: column.bigint(), uuid: column.uuid() }, text, uuids);
  return new Map(rows.map(({ id, uuid }) => [uuid, id]));
}

/** Checks that are assigned to a channel. */
export async function listAssignedCheckIds(tx: Tx, channelId: number): Promise<Set<number>> {
  const text = 'select check_id from check_channels where channel_id = $1';
  const rows = await querySql(tx, { checkId: column.bigint() }, text, [channelId]);
  return new Set(rows.map(({ checkId }) => checkId));
}

export async function addAssignments(tx: Tx, channelId: number, checkIds: readonly number[]): Promise<void> {
  await insertMany(
    tx,
    checkChannels,
    checkIds.map((checkId) => ({ checkId, channelId })),
  );
}

export async function removeAssignments(
  tx: Tx,
  channelId: number,
  checkIds: readonly number[],
): Promise<void> {
  for (const checkId of checkIds) {
    await deleteRows(tx, checkChannels, { channelId, checkId });
  }
}

const { checkId, at, oldStatus, newStatus } = flips.columns;

/** Flips of the checks in a span of time, both ends included. */
export function listFlipsWithin(
  tx: Tx,
  checkIds: readonly number[],
  { from, to }: { readonly from: Micros; readonly to: Micros },
) {
  const text = `select check_id, at, old_status, new_status from flips
    where check_id in (${placeholders(checkIds.length, 3)}) and at >= $1 and at <= $2`;
  return querySql(tx, { checkId, at, oldStatus, newStatus }, text, [from, to, ...checkIds]);
}

/** Counts the checks of an account again. */
export async function recountChecks(tx: Tx, userId: string): Promise<void> {
  const text = `update users set check_count = (select count(*) from checks
    where project_id in (select id from projects where owner_id = $1)) where id = $1`;
  await executeSql(tx, text, [userId]);
}

/** Address of a user who has no password; undefined for one who has. */
export async function findEmailWithoutPassword(tx: Tx, userId: string): Promise<string | undefined> {
  const text = `select email from users where id = $1
    and not exists (select 1 from passwords where passwords.user_id = users.id)`;
  const [row] = await querySql(tx, { email: column.text() }, text, [userId]);
  return row?.email;
}
