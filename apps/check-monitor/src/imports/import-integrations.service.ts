import { isDeepStrictEqual } from 'node:util';
import type { Tx } from '@certloop/db';
import { IANAZone } from 'luxon';
import { type Channel, findChannel, insertChannel, updateChannel } from '../channels/channels.repository.js';
import { parseChannelSettings } from '../integrations/channel-kinds.js';
import type { ChannelKind } from '../integrations/kinds.js';
import { isUuid } from '../storable-text.js';
import { integrationOf } from './dump/dump-integration.js';
import type { DumpRow } from './dump/dump-rows.js';
import { addAssignments, listAssignedCheckIds, removeAssignments } from './import.repository.js';
import type { ImportedProject, ImportRun } from './import-run.js';

type Row = DumpRow<'api.channel'>;

/** A group names its members, which may stand behind it. */
export interface GroupToImport {
  readonly row: Row;
  readonly project: ImportedProject;
  readonly members: readonly string[];
}

/** Imports an integration with its secrets and checks; a group is returned, to be imported after all others. */
export async function importIntegration(
  tx: Tx,
  run: ImportRun,
  row: Row,
): Promise<GroupToImport | undefined> {
  const project = run.projects.get(row.project);
  if (project === undefined) {
    run.tally.fault(
      `api.channel ${row.pk}: project: project ${row.project} is not in the dump or cannot be imported`,
    );
    return undefined;
  }
  for (const pk of row.checks) {
    const check = run.checks.get(pk);
    if (check !== undefined) check.wanted += 1;
  }
  const found = integrationOf(row.kind, row.value);
  if ('reason' in found) {
    run.tally.leaveBehind(titleOf(row, project), found.reason);
    return undefined;
  }
  if ('members' in found) return { row, project, members: found.members };
  await store(tx, run, { row, project }, withZone(run, project, found));
  return undefined;
}

/** Mails show times in the zone of the account that has their address, otherwise in that of the owner. */
function withZone(
  { zones }: ImportRun,
  { ownerId }: ImportedProject,
  found: { readonly kind: ChannelKind; readonly settings: object },
): { readonly kind: ChannelKind; readonly settings: object } {
  if (found.kind !== 'email') return found;
  const { address } = found.settings as { readonly address: string };
  const tz = zones.get(address.toLowerCase()) ?? zones.get(ownerId);
  const isShown = tz !== undefined && tz !== 'UTC' && IANAZone.isValidZone(tz);
  return isShown ? { ...found, settings: { ...found.settings, tz } } : found;
}

/** Imports a group with those of its members that came along. */
export async function importGroup(
  tx: Tx,
  run: ImportRun,
  { row, project, members }: GroupToImport,
): Promise<void> {
  const present: string[] = [];
  for (const uuid of members) {
    const member = isUuid(uuid) ? await findChannel(tx, uuid) : undefined;
    if (member?.projectId === project.id && member.kind !== 'group') present.push(uuid);
    else
      run.tally.leaveBehind(`member ${uuid} of ${titleOf(row, project)}`, 'the integration was not imported');
  }
  if (present.length === 0) {
    return run.tally.leaveBehind(titleOf(row, project), 'none of its members was imported');
  }
  const settings = parseChannelSettings('group', { channels: present });
  await store(tx, run, { row, project }, { kind: 'group', settings });
}

async function store(
  tx: Tx,
  run: ImportRun,
  { row, project }: { readonly row: Row; readonly project: ImportedProject },
  { kind, settings }: { readonly kind: ChannelKind; readonly settings: object },
): Promise<void> {
  const wanted = {
    name: row.name,
    settings,
    verifiedAt: kind === 'email' && row.email_verified ? row.created : null,
    disabledAt: row.disabled ? (row.last_notify ?? row.created) : null,
    lastError: row.last_error === '' ? null : row.last_error,
    lastNotifiedAt: row.last_notify,
    lastDurationMs: row.last_notify_duration === null ? null : Math.round(row.last_notify_duration / 1000),
  };
  const here = await findChannel(tx, row.code);
  if (here !== undefined && (here.projectId !== project.id || here.kind !== kind)) {
    return run.tally.fault(`api.channel ${row.pk}: code: another integration here has it`);
  }
  if (kind === 'email' && !row.email_verified) {
    run.tally.leaveBehind(
      titleOf(row, project),
      'its address is not verified and gets no alerts until it is asked here',
    );
  }
  if (here === undefined) {
    const place = { uuid: row.code, projectId: project.id, kind, createdAt: row.created };
    await insertChannel(tx, { ...place, ...wanted });
    run.tally.count('integrations', 'created');
  } else await refresh(tx, run, { here, project }, wanted);
  const stored = here ?? (await findChannel(tx, row.code));
  run.integrations.push({ title: titleOf(row, project), kind, settings });
  if (stored !== undefined) await assign(tx, run, stored.id, row.checks);
}

async function refresh(
  tx: Tx,
  run: ImportRun,
  { here, project }: { readonly here: Channel; readonly project: ImportedProject },
  wanted: Partial<Channel>,
): Promise<void> {
  if (project.isLive) return run.tally.count('integrations', 'left');
  const changes = Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => !isDeepStrictEqual(here[name as keyof Channel], value)),
  );
  const isSame = Object.keys(changes).length === 0;
  if (!isSame) await updateChannel(tx, here.id, changes);
  run.tally.count('integrations', isSame ? 'unchanged' : 'updated');
}

/** Assigns the checks that the dump names, of those that are not in use here. */
async function assign(tx: Tx, run: ImportRun, channelId: number, pks: readonly number[]): Promise<void> {
  const assigned = await listAssignedCheckIds(tx, channelId);
  const wanted = new Set<number>();
  for (const pk of pks) {
    const check = run.checks.get(pk);
    if (check === undefined) continue;
    check.assigned += 1;
    if (check.state !== 'live') wanted.add(check.id);
  }
  await addAssignments(
    tx,
    channelId,
    [...wanted].filter((id) => !assigned.has(id)),
  );
  await removeAssignments(
    tx,
    channelId,
    [...assigned].filter((id) => run.idleCheckIds.has(id) && !wanted.has(id)),
  );
}

function titleOf({ kind, name, code }: Row, project: ImportedProject): string {
  return `integration ${name === '' ? '' : `"${name}" `}(${kind}, ${code}) of ${project.name}`;
}
