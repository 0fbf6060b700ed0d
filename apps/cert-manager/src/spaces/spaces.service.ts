import { type BodyOf, Conflict, type certManagerContract } from '@certloop/contracts';
import {
  type Database,
  type ListPage,
  type ListWindow,
  newRowId,
  onUniqueViolation,
  readList,
  type Tx,
} from '@certloop/db';
import type { Caller } from '../access/caller.js';
import { readableSpaces, requireFullAccess, requireLevel, spaceNotFound } from '../access/permissions.js';
import { recordAudit } from '../audit/audit.service.js';
import type { DbDeps } from '../db-deps.js';
import { type RequestMark, requestMarkOf, requireSameRequest } from '../http/request-mark.js';
import { insertSpaceSize } from './space-sizes.repository.js';
import {
  deleteSpaceRow,
  findSpaceByRequest,
  insertSpace,
  lockSpace,
  readSpacePage,
  type SpaceRow,
  updateSpaceRow as writeSpace,
} from './spaces.repository.js';

export interface SpacesDeps extends DbDeps {
  /** How many FQDNs the spaces hold. */
  readonly countFqdns: (tx: Tx, spaceIds: readonly string[]) => Promise<number>;
  readonly emit: SpaceEvents;
}

/** Events of spaces; `changes/reactions.service.ts` lists what follows each of them. */
export interface SpaceEvents {
  /** The space was deleted, with its FQDNs. */
  spaceDeleted(tx: Tx, event: { readonly scope: { readonly spaceId: string } }): Promise<void>;
  /** The watch of the FQDNs of the space was switched on or off. */
  watchSwitched(tx: Tx, event: { readonly spaceId: string }): Promise<void>;
}

/** The spaces that the caller may read, oldest first. */
export async function listSpaces(
  { db }: Pick<SpacesDeps, 'db'>,
  caller: Caller,
  window: ListWindow,
): Promise<ListPage<SpaceRow>> {
  return readList(db, window, (tx, part) => readSpacePage(tx, readableSpaces(caller), part));
}

/**
 * Makes a space; names may repeat. A request with an Idempotency-Key that made one before returns that one. Throws
 * Forbidden, and InvalidInput for a key that is not valid or was used for another request.
 */
export async function createSpace(
  { db, clock }: SpacesDeps,
  caller: Caller,
  input: BodyOf<typeof certManagerContract.createSpace>,
): Promise<SpaceRow> {
  requireFullAccess(caller);
  const now = clock.now();
  const { name, description = '', watchEnabled = true } = input;
  const unwatchedSince = watchEnabled ? null : now;
  const mark = requestMarkOf(caller, 'createSpace', { name, description, watchEnabled });
  const space = {
    id: newRowId(now),
    name,
    description,
    createdAt: now,
    unwatchedSince,
    ...(mark ?? { requestKey: null, requestHash: null }),
  };
  const after = { name, description, ...(!watchEnabled && { watchEnabled }) };
  const create = (): Promise<SpaceRow> =>
    db.transaction(async (tx) => {
      await insertSpace(tx, space);
      await insertSpaceSize(tx, space.id);
      await recordAudit(tx, caller, spaceAudit('space.create', space.id, { after }), now);
      return space;
    });
  return mark === undefined ? create() : createOnce(db, mark, create);
}

/** Returns the space that an earlier request of the mark created, or creates it; of several at once, one creates it. */
async function createOnce(
  db: Database,
  mark: RequestMark,
  create: () => Promise<SpaceRow>,
): Promise<SpaceRow> {
  const find = () => db.read((tx) => findSpaceByRequest(tx, mark.requestKey));
  let found = await find();
  if (found === undefined) {
    const madeMeanwhile = new Conflict('the same request is being processed; send it again', {
      code: 'request_at_work',
    });
    try {
      return await onUniqueViolation(create, () => madeMeanwhile, ['requestKey']);
    } catch (error) {
      if (error !== madeMeanwhile) throw error;
      found = await find();
      // made and deleted again
      if (found === undefined) throw madeMeanwhile;
    }
  }
  requireSameRequest(mark, found);
  return found;
}

/**
 * Deletes an empty space, or with `deleteFqdns` one with all that it holds. Throws Forbidden, NotFound, and
 * Conflict when it still holds FQDNs.
 */
export async function deleteSpace(
  { db, clock, countFqdns, emit }: SpacesDeps,
  caller: Caller,
  { id, deleteFqdns }: { readonly id: string; readonly deleteFqdns: boolean },
): Promise<void> {
  requireLevel(caller, id, 'READ');
  requireFullAccess(caller);
  await db.longTransaction(async (tx) => {
    const space = await lockSpace(tx, id);
    if (space === undefined) throw spaceNotFound();
    const fqdns = await countFqdns(tx, [id]);
    if (fqdns > 0 && !deleteFqdns) throw notEmpty(fqdns);
    await deleteSpaceRow(tx, id);
    await emit.spaceDeleted(tx, { scope: { spaceId: id } });
    const { name, description } = space;
    const details = { before: { name, description }, deletedFqdns: fqdns };
    await recordAudit(tx, caller, spaceAudit('space.delete', id, details), clock.now());
  });
}

function notEmpty(fqdns: number): Conflict {
  return new Conflict(`the space still contains FQDNs (${fqdns}); deleteFqdns=true deletes them with it`, {
    code: 'space_not_empty',
    title: 'Space still contains FQDNs',
  });
}

/** Changes the name or the description of a space; what is undefined stays. Throws NotFound and Forbidden. */
export async function updateSpace(
  { db, clock }: DbDeps,
  caller: Caller,
  input: { readonly id: string } & BodyOf<typeof certManagerContract.updateSpace>,
): Promise<SpaceRow> {
  const { id } = input;
  requireLevel(caller, id, 'FULL_ACCESS');
  return db.transaction(async (tx) => {
    const space = await lockSpace(tx, id);
    if (space === undefined) throw spaceNotFound();
    const { name, description } = space;
    const after = { name: input.name ?? name, description: input.description ?? description };
    if (after.name === name && after.description === description) return space;
    await writeSpace(tx, id, after);
    const details = { before: { name, description }, after };
    await recordAudit(tx, caller, spaceAudit('space.update', id, details), clock.now());
    return { ...space, ...after };
  });
}

/** Audit entry of an act on a space. */
export function spaceAudit(
  action: 'space.create' | 'space.delete' | 'space.policy' | 'space.update' | 'space.watch',
  id: string,
  details: Record<string, unknown>,
) {
  return {
    action,
    resourceType: 'space',
    resourceId: id,
    spaceId: id,
    details,
  } as const;
}
