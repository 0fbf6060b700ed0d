import { Forbidden, NotFound } from '@certloop/contracts';
import { findCheckByUuid, listChecksByUniqueKey } from '../checks/rows/checks.repository.js';
import { type PingsDeps, readPingBody } from '../pings/pings.service.js';
import type { Caller } from '../projects/caller.js';
import type { AccountDeps } from '../projects/create-user.service.js';
import { findOwnProject, roleIn } from './account-projects.service.js';
import { mayAs } from './role.js';

type Person = Parameters<typeof findOwnProject>[1];

/**
 * The user as a caller of the project: a read-only role sees what a read-only key sees, other roles what a read-write
 * key sees. Throws NotFound.
 */
export async function callerIn(
  deps: Pick<AccountDeps, 'db'>,
  user: Person,
  projectId: string,
): Promise<Caller> {
  const project = await findOwnProject(deps, user, projectId);
  const kind = mayAs(project.role, 'member') ? 'read-write' : 'read-only';
  return { projectId: project.id, ownerId: project.ownerId, kind, version: 3, body: {} };
}

const checkId = /^(?:[0-9a-f]{40}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Reads data of a check. An id of no check in the project is NotFound, even if another project has it. */
export async function readOfCheck<Found>(id: string, read: () => Promise<Found>): Promise<Found> {
  if (!checkId.test(id)) throw noSuchCheck();
  try {
    return await read();
  } catch (error) {
    throw error instanceof Forbidden ? noSuchCheck() : error;
  }
}

/** The body of a ping of a check. Throws NotFound, also for a text that is not a number. */
export async function readOwnPingBody(
  deps: PingsDeps,
  caller: Caller,
  { checkId: id, n }: { readonly checkId: string; readonly n: string },
): Promise<Uint8Array> {
  if (!/^[0-9]+$/.test(n)) throw new NotFound('there is no such ping');
  return readOfCheck(id, () => readPingBody(deps, caller, id, Number(n)));
}

/**
 * The user's project of a check, and the id by which the user sees the check. Throws NotFound, also for a check of
 * other projects.
 */
export function findOwnCheck(
  { db }: Pick<AccountDeps, 'db'>,
  user: Person,
  id: string,
): Promise<{ readonly projectId: string; readonly id: string }> {
  return db.read(async (tx) => {
    if (!checkId.test(id)) throw noSuchCheck();
    const byUuid = id.includes('-') ? await findCheckByUuid(tx, id) : undefined;
    const found = byUuid === undefined ? await listChecksByUniqueKey(tx, id) : [byUuid];
    for (const check of found) {
      const role = await roleIn(tx, user, check.projectId);
      if (role === undefined) continue;
      return { projectId: check.projectId, id: mayAs(role, 'member') ? check.uuid : check.uniqueKey };
    }
    throw noSuchCheck();
  });
}

function noSuchCheck(): NotFound {
  return new NotFound('there is no such check');
}
