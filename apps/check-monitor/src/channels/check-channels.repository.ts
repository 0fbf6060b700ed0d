import { internalTag } from '@certloop/contracts';
import { column, defineTable, inDialect, insertMany, placeholders, querySql, type Tx } from '@certloop/db';
import { type Channel, channels, readChannel } from './channels.repository.js';

/** Which channels are assigned to which check. */
export const checkChannels = defineTable('check_channels', {
  columns: {
    checkId: column.bigint().primary(),
    channelId: column.bigint().primary(),
  },
  indexes: [{ columns: ['channelId'] }],
  references: [
    { columns: ['checkId'], table: 'checks', onDelete: 'CASCADE' },
    { columns: ['channelId'], table: 'channels', onDelete: 'CASCADE' },
  ],
});

/** Channels that are assigned to a check. */
export async function listCheckChannels(tx: Tx, checkId: number): Promise<Channel[]> {
  const text = `select c.* from check_channels x join channels c on c.id = x.channel_id
    where x.check_id = $1 order by c.id`;
  return (await querySql(tx, channels.columns, text, [checkId])).map((row) => readChannel(tx, row));
}

/** Channels that are assigned to each of several checks; checks without channels are absent. */
export async function listChannelsByCheck(
  tx: Tx,
  checkIds: readonly number[],
): Promise<Map<number, Channel[]>> {
  const byCheck = new Map<number, Channel[]>();
  if (checkIds.length === 0) return byCheck;
  const places = checkIds.map((_, index) => `$${index + 1}`).join(', ');
  const text = `select x.check_id, c.* from check_channels x join channels c on c.id = x.channel_id
    where x.check_id in (${places}) order by c.id`;
  const columns = { ...channels.columns, checkId: column.bigint() };
  for (const stored of await querySql(tx, columns, text, checkIds)) {
    const row = readChannel(tx, stored);
    const assigned = byCheck.get(row.checkId);
    if (assigned === undefined) byCheck.set(row.checkId, [row]);
    else assigned.push(row);
  }
  return byCheck;
}

/**
 * Uuids of the channels of each check of a project, or of those with the ids `checkIds`, in any order; checks without
 * channels are absent.
 */
export async function listAssignedUuids(
  tx: Tx,
  projectId: string,
  checkIds?: readonly number[],
): Promise<Map<number, readonly string[]>> {
  if (checkIds?.length === 0) return new Map();
  const { id, uuid } = channels.columns;
  const named = 'select id, uuid from channels where project_id = $1';
  const found = await querySql(tx, { id, uuid }, named, [projectId]);
  const uuids = new Map(found.map((channel) => [String(channel.id), channel.uuid]));
  // by check, as thousands of checks with several channels each would make a great many rows
  const ids = inDialect(tx, {
    sqlite: 'group_concat(channel_id)',
    postgres: "string_agg(cast(channel_id as text), ',')",
  });
  const condition = checkIds === undefined ? '' : `and check_id in (${placeholders(checkIds.length, 2)})`;
  const text = `select check_id, ${ids} as channel_ids from check_channels
    where channel_id in (select id from channels where project_id = $1) ${condition} group by check_id`;
  const columns = { checkId: column.bigint(), channelIds: column.text() };
  const rows = await querySql(tx, columns, text, [projectId, ...(checkIds ?? [])]);
  const uuidsOf = memoised((list: string) => list.split(',').flatMap((id) => uuids.get(id) ?? []));
  return new Map(rows.map(({ checkId, channelIds }) => [checkId, uuidsOf(channelIds)]));
}

/** So many checks of a project that notify the same channels. */
export interface Assignment {
  readonly channelIds: readonly string[];
  readonly count: number;
}

/** Which channels the checks of each project, or those with a tag, notify; internal checks of CertLoop do not count. */
export async function countAssignments(
  tx: Tx,
  projectIds: readonly string[],
  tag?: string,
): Promise<ReadonlyMap<string, Assignment[]>> {
  const byProject = new Map<string, Assignment[]>();
  if (projectIds.length === 0) return byProject;
  const ids = inDialect(tx, {
    sqlite: 'group_concat(x.channel_id)',
    postgres: "string_agg(cast(x.channel_id as text), ',')",
  });
  const place = inDialect(tx, { sqlite: 'instr', postgres: 'strpos' });
  const tagged = tag === undefined ? '' : `and ${place}(' ' || c.tags || ' ', $${projectIds.length + 1}) > 0`;
  const text = `select project_id, channel_ids, count(*) as "checks" from (
      select c.project_id, ${ids} as channel_ids from checks c left join check_channels x on x.check_id = c.id
      where c.project_id in (${placeholders(projectIds.length, 1)})
        and ' ' || c.tags || ' ' not like '% ${internalTag} %' ${tagged}
      group by c.project_id, c.id) assigned
    group by project_id, channel_ids`;
  const values = tag === undefined ? projectIds : [...projectIds, ` ${tag} `];
  const columns = { projectId: column.uuid(), channelIds: column.text().nullable(), checks: column.bigint() };
  for (const { projectId, channelIds, checks } of await querySql(tx, columns, text, values)) {
    const assignment = { channelIds: channelIds === null ? [] : channelIds.split(','), count: checks };
    const found = byProject.get(projectId);
    if (found === undefined) byProject.set(projectId, [assignment]);
    else found.push(assignment);
  }
  return byProject;
}

/** Most checks of a project have the same channels. */
function memoised<Value>(make: (text: string) => Value): (text: string) => Value {
  const made = new Map<string, Value>();
  return (text) => {
    const value = made.get(text) ?? make(text);
    made.set(text, value);
    return value;
  };
}

/** Makes these the only channels of the check. */
export async function assignChannels(
  tx: Tx,
  checkId: number,
  assigned: readonly Pick<Channel, 'id'>[],
): Promise<void> {
  await tx.delete(checkChannels, { checkId });
  await insertMany(
    tx,
    checkChannels,
    assigned.map(({ id }) => ({ checkId, channelId: id })),
  );
}
