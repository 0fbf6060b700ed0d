import { randomInt, randomUUID } from 'node:crypto';
import { Conflict, InvalidInput, type keyKinds, NotFound } from '@certloop/contracts';
import { type Database, onUniqueViolation, type Tx } from '@certloop/db';
import type { Clock } from '../instants.js';
import { isStorable } from '../storable-text.js';
import { composeKey, composePingKey, hashKey, type KeyKind } from './api-key.js';
import {
  deleteApiKey,
  findProjectByName,
  getProject,
  insertProject,
  lockProjectForShare,
  type Project,
  replaceApiKey,
  setPingKey,
} from './projects.repository.js';
import { findUserByEmail, insertUser, setUserLimits, type User } from './users.repository.js';

export interface AccountDeps {
  readonly db: Database;
  readonly clock: Clock;
  /** Key of the HMAC of stored keys. */
  readonly secret: string;
}

export interface NewUser {
  readonly email: string;
  /** Null leaves it to the service. */
  readonly checkLimit: number | null;
  readonly pingLimit: number | null;
}

/** Throws InvalidInput for what is no e-mail address, Conflict when someone has it. */
export async function createUser(deps: AccountDeps, wanted: NewUser): Promise<User> {
  return deps.db.transaction((tx) => addUser(deps, tx, wanted));
}

/** Sets the limits that are given. Throws NotFound when no one has the address. */
export async function limitUser({ db }: AccountDeps, { email, ...limits }: NewUser): Promise<User> {
  return db.transaction(async (tx) => {
    const user = await findUserByEmail(tx, normalEmail(email));
    if (user === undefined) throw new NotFound(`there is no user ${email}`);
    const given = givenLimits({ email, ...limits });
    await setUserLimits(tx, user.id, given);
    return { ...user, ...given };
  });
}

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

/**
 * A user with a project and its keys. User and project are made where absent, so that it may be run again; the limits
 * given are set, and the API keys are new, as earlier ones cannot be read. A ping key stays, since jobs have it in
 * their addresses.
 */
export async function setUpProject(deps: AccountDeps, wanted: NewUser, name: string): Promise<Setup> {
  return deps.db.transaction(async (tx) => {
    const owner = (await findUserByEmail(tx, normalEmail(wanted.email))) ?? (await addUser(deps, tx, wanted));
    await setUserLimits(tx, owner.id, givenLimits(wanted));
    const project =
      (await findProjectByName(tx, owner.id, name)) ?? (await addProject(deps, tx, owner, name));
    return {
      projectId: project.id,
      readWriteKey: await putKey(deps, tx, project.id, 'read-write'),
      readOnlyKey: await putKey(deps, tx, project.id, 'read-only'),
      pingKey: project.pingKey ?? (await putKey(deps, tx, project.id, 'ping')),
    };
  });
}

async function addUser(deps: AccountDeps, tx: Tx, wanted: NewUser): Promise<User> {
  const { checkLimit, pingLimit } = wanted;
  const email = normalEmail(wanted.email);
  const user: User = {
    id: randomUUID(),
    email,
    checkLimit,
    pingLimit,
    checkCount: 0,
    createdAt: deps.clock.now(),
  };
  await onUniqueViolation(
    () => insertUser(tx, user),
    () => new Conflict(`there is a user ${email} already`),
  );
  return user;
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
  const project: Project = {
    id: randomUUID(),
    ownerId: owner.id,
    name,
    badgeKey: randomUUID(),
    pingKey: null,
    createdAt: deps.clock.now(),
  };
  await insertProject(tx, project);
  return project;
}

async function putKey(deps: AccountDeps, tx: Tx, projectId: string, kind: IssuedKind): Promise<string> {
  const choose = (bound: number) => randomInt(bound);
  if (kind === 'ping') {
    const pingKey = composePingKey(choose);
    await setPingKey(tx, projectId, pingKey);
    return pingKey;
  }
  return putApiKey(deps, tx, projectId, kind, composeKey(kind, choose));
}

async function putApiKey(
  { clock, secret }: AccountDeps,
  tx: Tx,
  projectId: string,
  kind: KeyKind,
  key: string,
): Promise<string> {
  await replaceApiKey(tx, { projectId, kind, hash: hashKey(key, secret), createdAt: clock.now() });
  return key;
}

function givenLimits({ checkLimit, pingLimit }: NewUser): Partial<Pick<User, 'checkLimit' | 'pingLimit'>> {
  return { ...(checkLimit !== null && { checkLimit }), ...(pingLimit !== null && { pingLimit }) };
}

/** Address as it is stored; throws InvalidInput for anything else. */
export function normalEmail(text: string): string {
  const email = text.trim().toLowerCase();
  if (!/^[^\s@]+@[^\s@]+$/.test(email) || email.length > 254 || !isStorable(email)) {
    throw new InvalidInput(`${text} is not an e-mail address`);
  }
  return email;
}
