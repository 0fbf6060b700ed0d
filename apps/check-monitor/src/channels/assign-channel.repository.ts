import { setImmediate as nextRound } from 'node:timers/promises';
import { column, executeSql, placeholders, querySql, type Tx } from '@certloop/db';

// one takes a few milliseconds, and SQLite works on the thread that answers requests
const checksAtOnce = 1000;

/**
 * Assigns all checks of the project to the channel with this uuid, which has no check yet. Takes the checks in batches
 * and lets other work run between two batches.
 */
export async function assignToAllChecks(tx: Tx, projectId: string, channelUuid: string): Promise<void> {
  const columns = { lastId: column.bigint().nullable() };
  const nextBatch = `select max(id) as last_id from
    (select id from checks where project_id = $1 and id > $2 order by id limit ${checksAtOnce}) batch`;
  const assignBatch = `insert into check_channels (check_id, channel_id)
    select checks.id, channels.id from checks join channels on channels.uuid = $1
    where checks.project_id = $2 and checks.id > $3 and checks.id <= $4`;
  for (let firstId = 0; ; ) {
    const [batch] = await querySql(tx, columns, nextBatch, [projectId, firstId]);
    if (batch?.lastId === undefined || batch.lastId === null) return;
    await executeSql(tx, assignBatch, [channelUuid, projectId, firstId, batch.lastId]);
    firstId = batch.lastId;
    await nextRound();
  }
}

/** Assigns channels to checks, both by their ids; returns the ids of the checks that did not have all of them. */
export async function assignToChecks(
  tx: Tx,
  checkIds: readonly number[],
  channelIds: readonly number[],
): Promise<ReadonlySet<number>> {
  if (checkIds.length === 0 || channelIds.length === 0) return new Set();
  const text = `insert into check_channels (check_id, channel_id)
    select checks.id, channels.id from checks cross join channels ${whereIds('checks.id', 'channels.id', checkIds, channelIds)}
    on conflict do nothing returning check_id`;
  return changedChecks(tx, text, checkIds, channelIds);
}

/** Takes channels away from checks, both by their ids; returns the ids of the checks that had one of them. */
export async function takeFromChecks(
  tx: Tx,
  checkIds: readonly number[],
  channelIds: readonly number[],
): Promise<ReadonlySet<number>> {
  if (checkIds.length === 0 || channelIds.length === 0) return new Set();
  const where = whereIds('check_id', 'channel_id', checkIds, channelIds);
  return changedChecks(tx, `delete from check_channels ${where} returning check_id`, checkIds, channelIds);
}

function whereIds(
  checkColumn: string,
  channelColumn: string,
  checkIds: readonly number[],
  channelIds: readonly number[],
): string {
  return `where ${checkColumn} in (${placeholders(checkIds.length, 1)})
    and ${channelColumn} in (${placeholders(channelIds.length, checkIds.length + 1)})`;
}

async function changedChecks(
  tx: Tx,
  text: string,
  checkIds: readonly number[],
  channelIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const rows = await querySql(tx, { checkId: column.bigint() }, text, [...checkIds, ...channelIds]);
  return new Set(rows.map(({ checkId }) => checkId));
}

/** Ids of the checks of a project that notify the channel with this uuid. */
export async function listNotifyingChecks(
  tx: Tx,
  projectId: string,
  channelUuid: string,
): Promise<ReadonlySet<number>> {
  const text = `select check_id from check_channels where channel_id =
    (select id from channels where uuid = $1 and project_id = $2)`;
  const rows = await querySql(tx, { checkId: column.bigint() }, text, [channelUuid, projectId]);
  return new Set(rows.map(({ checkId }) => checkId));
}

/** Number of checks that notify each channel of a project, by the uuid of the channel; those of no check are absent. */
export async function countAssignedByChannel(
  tx: Tx,
  projectId: string,
): Promise<ReadonlyMap<string, number>> {
  const text = `select c.uuid, count(*) as checks from check_channels x join channels c on c.id = x.channel_id
    where c.project_id = $1 group by c.uuid`;
  const rows = await querySql(tx, { uuid: column.uuid(), checks: column.bigint() }, text, [projectId]);
  return new Map(rows.map(({ uuid, checks }) => [uuid, checks]));
}

/** Number of checks that notify the channel with this uuid. */
export async function countAssignedChecks(tx: Tx, channelUuid: string): Promise<number> {
  const text = `select count(*) as checks from check_channels
    where channel_id = (select id from channels where uuid = $1)`;
  const [counted] = await querySql(tx, { checks: column.bigint() }, text, [channelUuid]);
  return counted?.checks ?? 0;
}
