import { Conflict, Forbidden, NotFound } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import { listAssignedUuids, listCheckChannels } from '../channels/check-channels.repository.js';
import type { DbDeps } from '../db-deps.js';
import { type FlipQuery, parseFlipWindow } from '../flips/flip-window.js';
import { type FlipRow, insertFlips, listFlips } from '../flips/flips.repository.js';
import type { Micros } from '../instants.js';
import { type Caller, unknownUniqueKey } from '../projects/caller.js';
import { addToCheckCount, lockOwner } from '../projects/users.repository.js';
import { type Check, hasTags, type ShownCheck } from './check.js';
import { type Flip, type Outcome, outcomeOfPause, outcomeOfResume } from './check-state.js';
import { listManyChecks } from './rows/check-cells.repository.js';
import {
  deleteCheck,
  findCheckByUniqueKey,
  findCheckByUuid,
  lockCheck,
  updateCheck,
} from './rows/checks.repository.js';

export interface ChecksDeps extends DbDeps {
  /** Called after the commit for each changed, created or deleted check. */
  readonly noteChange?: (uuid: string, isNew?: boolean) => void;
}

/** A check with the uuids of the channels that are assigned to it. */
export interface AssignedCheck<Assigned = Check> {
  readonly check: Assigned;
  readonly channelIds: readonly string[];
}

/** Filter of a list: one slug, and checks that have all of the tags. */
export interface CheckFilter {
  readonly slug: string | undefined;
  readonly tags: readonly string[];
}

/** Checks of the caller's project in the order of creation. */
export async function listChecks(
  { db }: ChecksDeps,
  { projectId }: Caller,
  { slug, tags }: CheckFilter,
): Promise<AssignedCheck<ShownCheck>[]> {
  return db.read(async (tx) => {
    // PostgreSQL rejects this character, so no slug can contain it
    if (slug?.includes('\0') === true) return [];
    const found = await listManyChecks(tx, projectId, slug);
    const wanted = new Set(tags);
    const channelIds = await listAssignedUuids(tx, projectId);
    return found
      .filter((check) => hasTags(check.tags, wanted))
      .map((check) => ({ check, channelIds: channelIds.get(check.id) ?? [] }));
  });
}

/** One check by uuid or unique key. Throws NotFound, or Forbidden when the uuid is another project's. */
export async function getCheck({ db }: ChecksDeps, caller: Caller, id: string): Promise<AssignedCheck> {
  return db.read(async (tx) => withChannels(tx, await readCheck(tx, caller, id)));
}

/** Flips of a check by uuid or unique key, the latest recorded first. Throws as getCheck, then InvalidInput. */
export async function listCheckFlips(
  { db, clock }: ChecksDeps,
  caller: Caller,
  id: string,
  query: FlipQuery,
): Promise<FlipRow[]> {
  return db.read(async (tx) => {
    const { id: checkId } = await readCheck(tx, caller, id);
    return listFlips(tx, checkId, parseFlipWindow(query, clock.now()));
  });
}

/** Pauses the check; a paused check stays unchanged. */
export async function pauseCheck(deps: ChecksDeps, caller: Caller, uuid: string): Promise<AssignedCheck> {
  return change(deps, caller, uuid, outcomeOfPause);
}

/** Resumes the check as a new one. Throws Conflict if it is not paused. */
export async function resumeCheck(deps: ChecksDeps, caller: Caller, uuid: string): Promise<AssignedCheck> {
  return change(deps, caller, uuid, (check, now) => {
    if (check.storedStatus !== 'paused') throw new Conflict('check is not paused');
    return outcomeOfResume(check, now);
  });
}

/** Deletes the check with its pings and flips; returns it was. */
export async function removeCheck(
  { db, noteChange }: ChecksDeps,
  caller: Caller,
  uuid: string,
): Promise<Check> {
  // with all its pings and messages
  const removed = await db.longTransaction(async (tx) => {
    const { id: ownerId } = await lockOwner(tx, caller.ownerId);
    const check = await lockOwnCheck(tx, caller, uuid);
    await deleteCheck(tx, check.id);
    await addToCheckCount(tx, ownerId, -1);
    return check;
  });
  noteChange?.(removed.uuid);
  return removed;
}

/** The check locked until the transaction ends. Throws NotFound, or Forbidden when it is another project's. */
export async function lockOwnCheck(tx: Tx, caller: Caller, uuid: string): Promise<Check> {
  return requireOwn(caller, await lockCheck(tx, uuid.toLowerCase()));
}

export async function withChannels(tx: Tx, check: Check): Promise<AssignedCheck> {
  const assigned = await listCheckChannels(tx, check.id);
  return { check, channelIds: assigned.map(({ uuid }) => uuid) };
}

/** A flip as stored; a silent one counts as sent. */
export function flipRow(checkId: number, flip: Flip): Omit<FlipRow, 'id'> {
  return {
    checkId,
    at: flip.at,
    oldStatus: flip.from,
    newStatus: flip.to,
    reason: flip.reason,
    processedAt: flip.isSilent ? flip.at : null,
  };
}

/** Loads a check to read by uuid or unique key; throws NotFound or Forbidden. */
export async function readCheck(tx: Tx, caller: Caller, id: string): Promise<Check> {
  if (id.includes('-')) return requireOwn(caller, await findCheckByUuid(tx, id.toLowerCase()));
  const found = await findCheckByUniqueKey(tx, caller.projectId, id);
  if (found === undefined) throw new NotFound('check not found', { code: unknownUniqueKey });
  return found;
}

function requireOwn(caller: Caller, check: Check | undefined): Check {
  if (check === undefined) throw new NotFound('check not found');
  if (check.projectId !== caller.projectId) throw new Forbidden('the api key is for another project');
  return check;
}

async function change(
  { db, clock, noteChange }: ChecksDeps,
  caller: Caller,
  uuid: string,
  decide: (check: Check, at: Micros) => Outcome,
): Promise<AssignedCheck> {
  const changed = await db.transaction(async (tx) => {
    const check = await lockOwnCheck(tx, caller, uuid);
    const { state, flip } = decide(check, clock.now());
    await updateCheck(tx, check.id, state);
    if (flip !== undefined) await insertFlips(tx, [flipRow(check.id, flip)]);
    return withChannels(tx, { ...check, ...state });
  });
  noteChange?.(changed.check.uuid);
  return changed;
}
