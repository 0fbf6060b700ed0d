import {
  type CheckChange,
  type CheckChangeResult,
  Conflict,
  InvalidInput,
  maxChangedChecks,
  maxNamedChecks,
} from '@certloop/contracts';
import { slicesOf, yieldBetween } from '@certloop/db';
import { listNotifyingChecks } from '../../channels/assign-channel.repository.js';
import { listProjectChannels } from '../../channels/channels.repository.js';
import { listNamedChecks, type NamedCheck } from '../../checks/rows/many-checks.repository.js';
import type { Caller } from '../../projects/caller.js';
import { isStorable, isUuid } from '../../storable-text.js';
import { orderChecks } from './order-checks.service.js';
import {
  type ChangeChecksDeps,
  changeSome,
  type Result,
  type WantedChange,
} from './write-changes.service.js';

/** Checks in one transaction: few enough that pings hardly wait for it. */
const perTransaction = 200;

/**
 * Changes at most 5000 checks of the caller's project that the input names or that match, 200 in each transaction, and
 * returns the result of each, and where the rest begins. If the process ends in between, the same call changes the rest.
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
  for await (const batch of yieldBetween(slicesOf(named, perTransaction))) {
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
    const uuids = wanted.filter((id) => isUuid(id));
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
  const checks = await deps.summaries.list(projectId);
  const query = { q, tags: tag, statuses: status, ids: notifying, sort: 'created' } as const;
  return { named: await orderChecks(checks, query, deps.clock.now()), missing: [] };
}
