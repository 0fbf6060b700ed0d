import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type CheckChange,
  type CheckChangeResult,
  Conflict,
  InvalidInput,
  maxChangedChecks,
  maxNamedChecks,
} from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import {
  assignToChecks,
  listNotifyingChecks,
  takeFromChecks,
} from '../../channels/assign-channel.repository.js';
import { listProjectChannels, lockProjectChannelsForShare } from '../../channels/channels.repository.js';
import type { Check } from '../../checks/check.js';
import { type ChecksDeps, flipRow } from '../../checks/checks.service.js';
import { type OwnChange, plannedChange } from '../../checks/planned-change.js';
import {
  deleteManyChecks,
  listNamedChecks,
  lockChecks,
  type NamedCheck,
  updateManyStates,
  updateManyTags,
} from '../../checks/rows/many-checks.repository.js';
import { insertFlips } from '../../flips/flips.repository.js';
import type { Caller } from '../../projects/caller.js';
import { countChecks, lockOwner } from '../../projects/users.repository.js';
import { isStorable } from '../../storable-text.js';
import { checksMatching } from './check-page.js';
import type { Standings } from './standings.store.js';

export interface ChangeChecksDeps extends ChecksDeps {
  readonly standings: Standings;
}

type Result = CheckChangeResult['results'][number];

/** A change with its parts read. */
type WantedChange =
  | OwnChange
  | { readonly action: 'delete' }
  | { readonly action: 'add-channels' | 'remove-channels'; readonly channels: readonly string[] };

/** Checks in one transaction: few enough that pings hardly wait for it. */
const perTransaction = 200;
const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Changes at most 5000 checks of the caller's project that the input names or that match, 200 in each transaction, and
 * returns what came of each, and where the rest begins. If the process ends in between, the same call changes the rest.
 * Throws InvalidInput, and Conflict where more match than `atMost`.
 */
export async function changeChecks(
  deps: ChangeChecksDeps,
  caller: Caller,
  input: CheckChange,
): Promise<CheckChangeResult> {
  const wanted = wantedChange(input);
  if ('channels' in wanted) await requireChannels(deps, caller, wanted.channels);
  const { named: all, missing } = await findNamed(deps, caller, input);
  const { atMost, after = 0 } = input;
  if (atMost !== undefined && all.length > atMost) {
    throw new Conflict(`${all.length} checks match, more than ${atMost}; load the list again`, {
      code: 'too_many',
      title: 'More checks match',
    });
  }
  const rest = all.filter(({ id }) => id > after);
  const named = rest.slice(0, maxChangedChecks);
  const last = rest.length > named.length ? named.at(-1) : undefined;
  const results: Result[] = [...missing];
  const write = wanted.action === 'delete' ? deps.db.longTransaction : deps.db.transaction;
  for (let start = 0; start < named.length; start += perTransaction) {
    // others are answered between two batches
    if (start > 0) await nextTurn();
    const batch = named.slice(start, start + perTransaction);
    const outcomes = await write((tx) => changeSome(deps, tx, caller, { batch, wanted }));
    for (const { uuid, name } of batch) {
      const outcome = outcomes.get(uuid) ?? { outcome: 'skipped', reason: 'it was deleted' };
      results.push({ id: uuid, name, ...outcome });
      if (outcome.outcome === 'changed') deps.noteChange?.(uuid);
    }
  }
  const count = (outcome: Result['outcome']) => results.filter((one) => one.outcome === outcome).length;
  return {
    matched: results.length,
    changed: count('changed'),
    unchanged: count('unchanged'),
    skipped: count('skipped'),
    results: results.slice(0, maxNamedChecks),
    ...(last !== undefined && { next: last.id }),
  };
}

/** Throws InvalidInput unless the parts of the input belong together. */
function wantedChange({ ids, filter, action, tags, channels }: CheckChange): WantedChange {
  if ((ids === undefined) === (filter === undefined)) {
    throw refused(ids === undefined ? 'filter' : 'ids', 'name the checks either by ids or by a filter');
  }
  const takesTags = action === 'add-tags' || action === 'remove-tags';
  const takesChannels = action === 'add-channels' || action === 'remove-channels';
  if (!takesTags && tags !== undefined) throw refused('tags', 'belongs to add-tags and remove-tags only');
  if (!takesChannels && channels !== undefined) {
    throw refused('channels', 'belongs to add-channels and remove-channels only');
  }
  if (takesTags) return { action, tags: requireTags(tags) };
  if (!takesChannels) return { action };
  if (channels === undefined) throw refused('channels', `is required with ${action}`);
  return { action, channels };
}

function requireTags(text = ''): string[] {
  if (!isStorable(text)) throw refused('tags', 'has a null character, or is not valid Unicode');
  const tags = text.split(/\s+/).filter((tag) => tag !== '');
  if (tags.length === 0) throw refused('tags', 'must have at least one word');
  return tags;
}

function refused(path: string, message: string): InvalidInput {
  return new InvalidInput(`${path}: ${message}`, { fields: [{ path, code: 'invalid', message }] });
}

async function requireChannels(
  { db }: ChangeChecksDeps,
  { projectId }: Pick<Caller, 'projectId'>,
  wanted: readonly string[],
): Promise<void> {
  const known = new Set((await db.read((tx) => listProjectChannels(tx, projectId))).map(({ uuid }) => uuid));
  const unknown = wanted.find((id) => !known.has(id));
  if (unknown !== undefined) throw refused('channels', `there is no integration ${unknown} in this project`);
}

/** The checks that the input means by the order of their ids, and results for ids that name none. */
async function findNamed(
  deps: ChangeChecksDeps,
  caller: Caller,
  { ids, filter = {} }: CheckChange,
): Promise<{ readonly named: readonly NamedCheck[]; readonly missing: readonly Result[] }> {
  const { projectId } = caller;
  if (ids !== undefined) {
    const wanted = [...new Set(ids)];
    const uuids = wanted.filter((id) => uuidForm.test(id));
    const named = await deps.db.read((tx) => listNamedChecks(tx, projectId, uuids));
    const known = new Set(named.map(({ uuid }) => uuid));
    const reason = 'there is no such check in this project';
    const missing = wanted.filter((id) => !known.has(id));
    return { named, missing: missing.map((id) => ({ id, name: '', outcome: 'skipped', reason })) };
  }
  const { q, status = [], tag = [], channel } = filter;
  if (channel !== undefined) await requireChannels(deps, caller, [channel]);
  const notifying =
    channel === undefined
      ? undefined
      : await deps.db.longRead((tx) => listNotifyingChecks(tx, projectId, channel));
  const checks = await deps.standings.list(projectId);
  const condition = { q, tags: tag, statuses: status, ids: notifying };
  const found = checksMatching(checks, condition, deps.clock.now());
  return { named: found.toSorted((one, other) => one.id - other.id), missing: [] };
}

type Outcomes = ReadonlyMap<string, Pick<Result, 'outcome' | 'reason'>>;

/** Changes checks in one transaction, as they are by then; the outcomes are by uuid, without those of deleted checks. */
async function changeSome(
  deps: ChangeChecksDeps,
  tx: Tx,
  caller: Caller,
  { batch, wanted }: { readonly batch: readonly NamedCheck[]; readonly wanted: WantedChange },
): Promise<Outcomes> {
  // before its checks, as everywhere
  if (wanted.action === 'delete') await lockOwner(tx, caller.ownerId);
  const ids = batch.map(({ id }) => id);
  const held = await lockChecks(tx, caller.projectId, ids);
  if (wanted.action === 'delete') return deleteSome(tx, caller, held);
  if ('channels' in wanted) return assignSome(tx, caller, held, wanted);
  return changeOwn(deps, tx, held, wanted);
}

async function deleteSome(tx: Tx, { ownerId }: Caller, held: readonly Check[]): Promise<Outcomes> {
  await deleteManyChecks(
    tx,
    held.map(({ id }) => id),
  );
  await countChecks(tx, ownerId, -held.length);
  return new Map(held.map(({ uuid }) => [uuid, { outcome: 'changed' }]));
}

async function assignSome(
  tx: Tx,
  { projectId }: Caller,
  held: readonly Check[],
  { action, channels }: Extract<WantedChange, { readonly channels: unknown }>,
): Promise<Outcomes> {
  const available = await lockProjectChannelsForShare(tx, projectId);
  const channelIds = available.filter(({ uuid }) => channels.includes(uuid)).map(({ id }) => id);
  const checkIds = held.map(({ id }) => id);
  const change = action === 'add-channels' ? assignToChecks : takeFromChecks;
  const changed = await change(tx, checkIds, channelIds);
  return new Map(held.map(({ id, uuid }) => [uuid, { outcome: changed.has(id) ? 'changed' : 'unchanged' }]));
}

async function changeOwn(
  { clock }: ChangeChecksDeps,
  tx: Tx,
  held: readonly Check[],
  wanted: OwnChange,
): Promise<Outcomes> {
  const now = clock.now();
  const plans = held.map((check) => ({ check, planned: plannedChange(check, wanted, now) }));
  const states = plans.flatMap(({ check: { id }, planned }) =>
    'state' in planned ? [{ id, state: planned.state, flip: planned.flip }] : [],
  );
  await updateManyStates(tx, states);
  await insertFlips(
    tx,
    states.flatMap(({ id, flip }) => (flip === undefined ? [] : [flipRow(id, flip)])),
  );
  await updateManyTags(
    tx,
    plans.flatMap(({ check: { id }, planned }) => ('tags' in planned ? [{ id, tags: planned.tags }] : [])),
  );
  return new Map(
    plans.map(({ check, planned }) => [
      check.uuid,
      planned.outcome === 'skipped' ? planned : { outcome: planned.outcome },
    ]),
  );
}
