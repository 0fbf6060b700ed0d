import { randomInt, randomUUID } from 'node:crypto';
import { InvalidInput, type keyKinds, NotFound } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import { isStorable } from '../storable-text.js';
import { composeKey, composePingKey, hashKey } from './api-key.js';
import { deleteApiKey, replaceApiKey } from './api-keys.repository.js';
import { type AccountDeps, addUser, givenLimits, type NewUser, normalEmail } from './create-user.service.js';
import {
  findProjectByName,
  getProject,
  insertProject,
  lockProjectForShare,
  openPingKey,
  type Project,
  setPingKey,
} from './projects.repository.js';
import { findUserByEmail, setUserLimits, type User } from './users.repository.js';

/** Throws NotFound when no one has the owner's address, InvalidInput for an empty or overlong name. */
export async function createProject(deps: AccountDeps, ownerEmail: string, name: string): Promise<Project> {
  return deps.db.transaction(async (tx) => {
    const owner = await findUserByEmail(tx, normalEmail(ownerEmail));
    if (owner === undefined) throw new NotFound(`there is no user ${ownerEmail}`);
    return addProject(deps, tx, owner, name);
  });
}

type IssuedKind = (typeof keyKinds)[number];

/** New key of a project, in the place of the one of that kind; it is not shown again. Throws NotFound. */
export async function issueKey(deps: AccountDeps, projectId: string, kind: IssuedKind): Promise<string> {
  return deps.db.transaction(async (tx) => {
    const { id } = await lockProjectForShare(tx, projectId);
    return putKey(deps, tx, id, kind);
  });
}

/** Ends a key of a project; does nothing where it has none of that kind. Throws NotFound. */
export async function revokeKey(deps: AccountDeps, projectId: string, kind: IssuedKind): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const { id } = await getProject(tx, projectId);
    if (kind === 'ping') await setPingKey(tx, id, null);
    else await deleteApiKey(tx, id, kind);
  });
}

/** Throws NotFound. */
export async function readProject({ db }: Pick<AccountDeps, 'db'>, projectId: string): Promise<Project> {
  return db.read((tx) => getProject(tx, projectId));
}

export interface Setup {
  readonly projectId: string;
  readonly readWriteKey: string;
  readonly readOnlyKey: string;
  readonly pingKey: string;
}

// the checks of a service are as many as what it watches
const serviceCheckLimit = 1_000_000;

/**
 * A user with a project and its keys, for a service. User and project are made where absent, so that it may be run again;
 * the limits given are set, a user without a limit of checks gets a million, and the API keys are new, as earlier ones cannot be read. A ping key stays, since jobs have it in
 * their addresses.
 */
export async function setUpProject(deps: AccountDeps, wanted: NewUser, name: string): Promise<Setup> {
  return deps.db.transaction(async (tx) => {
    const owner = (await findUserByEmail(tx, normalEmail(wanted.email))) ?? (await addUser(deps, tx, wanted));
    const checkLimit = wanted.checkLimit ?? owner.checkLimit ?? serviceCheckLimit;
    await setUserLimits(tx, owner.id, givenLimits({ ...wanted, checkLimit }));
    const project =
      (await findProjectByName(tx, owner.id, name)) ?? (await addProject(deps, tx, owner, name));
    const pingKey = openPingKey(tx, project);
    return {
      projectId: project.id,
      readWriteKey: await putKey(deps, tx, project.id, 'read-write'),
      readOnlyKey: await putKey(deps, tx, project.id, 'read-only'),
      pingKey: pingKey ?? (await putKey(deps, tx, project.id, 'ping')),
    };
  });
}

/** Throws InvalidInput for an empty or overlong name. */
export function requireProjectName(name: string): void {
  if (name.trim() === '' || [...name].length > 200) {
    throw new InvalidInput('name: the name of a project has 1 to 200 characters');
  }
  if (!isStorable(name)) throw new InvalidInput('the name is not valid Unicode, or has null characters');
}

/** Throws InvalidInput for an empty or overlong name. */
export async function addProject(deps: AccountDeps, tx: Tx, owner: User, name: string): Promise<Project> {
  requireProjectName(name);
  const project = {
    id: randomUUID(),
    ownerId: owner.id,
    name,
    badgeKey: randomUUID(),
    pingKey: null,
    createdAt: deps.clock.now(),
  };
  await insertProject(tx, project);
  return { ...project, pingKeyHash: null, sealedPingKey: null };
}

async function putKey(deps: AccountDeps, tx: Tx, projectId: string, kind: IssuedKind): Promise<string> {
  const choose = (bound: number) => randomInt(bound);
  if (kind === 'ping') {
    const pingKey = composePingKey(choose);
    await setPingKey(tx, projectId, pingKey);
    return pingKey;
  }
  const key = composeKey(kind, choose);
  const hash = hashKey(key, deps.secret);
  await replaceApiKey(tx, { projectId, kind, hash, createdAt: deps.clock.now() });
  return key;
}
