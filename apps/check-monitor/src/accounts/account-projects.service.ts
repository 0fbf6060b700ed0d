import { type AccountProject, Forbidden, NotFound, type ProjectRole } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import { type ApiKey, listApiKeys } from '../projects/api-keys.repository.js';
import { addProject, requireProjectName } from '../projects/create-project.service.js';
import type { AccountDeps } from '../projects/create-user.service.js';
import {
  deleteProject,
  getProject,
  hasPingKey,
  type Project,
  renameProject,
} from '../projects/projects.repository.js';
import { lockOwner, type User } from '../projects/users.repository.js';
import { countOwnProjects, findRole, listProjectsOf } from './members.repository.js';
import { mayAs } from './role.js';
import type { UserLimit } from './user-limit.service.js';

/** Limits of users; who administers the service on its command line is not bounded. */
export interface AccountBounds {
  /** Projects that a user may own. */
  readonly projectLimit: number;
  /** Bounds how many addresses without an account a user can find out about, since the refusal shows it. */
  readonly addressProbes: UserLimit;
}

export type Person = Pick<User, 'id'>;

/** A project of others does not exist; Forbidden is for who may see it, but not do this. */
export async function requireProject(
  tx: Tx,
  user: Person,
  projectId: string,
  needed: ProjectRole,
): Promise<Project & { readonly role: ProjectRole }> {
  const project = await getProject(tx, projectId);
  const role = await roleOf(tx, user, project);
  if (role === undefined) throw new NotFound(`there is no project ${projectId}`);
  if (!mayAs(role, needed)) throw new Forbidden(`this needs the role ${needed} in the project`);
  return { ...project, role };
}

async function roleOf(
  tx: Tx,
  user: Person,
  { id, ownerId }: Pick<Project, 'id' | 'ownerId'>,
): Promise<ProjectRole | undefined> {
  return ownerId === user.id ? 'owner' : findRole(tx, id, user.id);
}

/** Role that the user has in a project that exists; undefined for none. */
export async function roleIn(tx: Tx, user: Person, projectId: string): Promise<ProjectRole | undefined> {
  return roleOf(tx, user, await getProject(tx, projectId));
}

/** Role of the user in the project. Throws NotFound or Forbidden unless they may do there what `needed` may. */
export async function requireRole(
  { db }: Pick<AccountDeps, 'db'>,
  user: Person,
  projectId: string,
  needed: ProjectRole,
): Promise<ProjectRole> {
  return (await db.read((tx) => requireProject(tx, user, projectId, needed))).role;
}

/** How many projects the user owns. */
export function countProjects({ db }: Pick<AccountDeps, 'db'>, userId: string): Promise<number> {
  return db.read((tx) => countOwnProjects(tx, userId));
}

/** The project with the role that the user has in it. Throws NotFound. */
export function findOwnProject(
  { db }: Pick<AccountDeps, 'db'>,
  user: Person,
  projectId: string,
): Promise<Project & { readonly role: ProjectRole }> {
  return db.read((tx) => requireProject(tx, user, projectId, 'read-only'));
}

export function listOwnProjects({ db }: AccountDeps, user: Person): Promise<AccountProject[]> {
  return db.read(async (tx) => {
    const found = await listProjectsOf(tx, user.id);
    const keys = await listApiKeys(
      tx,
      found.map(({ id }) => id),
    );
    return found.map(({ role, ...project }) => described(project, role ?? 'owner', keys));
  });
}

export function readOwnProject(
  { db }: AccountDeps,
  user: Person,
  projectId: string,
): Promise<AccountProject> {
  return db.read(async (tx) => {
    const project = await requireProject(tx, user, projectId, 'read-only');
    return describeProject(tx, project, project.role);
  });
}

/** Throws InvalidInput for the name, Forbidden where the user owns as many projects as they may. */
export function createOwnProject(
  deps: AccountDeps & Pick<AccountBounds, 'projectLimit'>,
  user: User,
  name: string,
): Promise<AccountProject> {
  return deps.db.transaction(async (tx) => {
    // locked, so that two at once do not both take the last place
    const owner = await lockOwner(tx, user.id);
    if ((await countOwnProjects(tx, owner.id)) >= deps.projectLimit) {
      throw new Forbidden(
        `the account has reached its limit of ${deps.projectLimit} projects; delete one, or ask the operator`,
      );
    }
    return describeProject(tx, await addProject(deps, tx, user, name), 'owner');
  });
}

export function renameOwnProject(
  { db }: AccountDeps,
  user: Person,
  projectId: string,
  name: string,
): Promise<AccountProject> {
  return db.transaction(async (tx) => {
    const project = await requireProject(tx, user, projectId, 'owner');
    requireProjectName(name);
    await renameProject(tx, project.id, name);
    return describeProject(tx, { ...project, name }, project.role);
  });
}

export async function removeProject({ db }: AccountDeps, user: Person, projectId: string): Promise<void> {
  // all its checks with their pings go in one statement
  await db.longTransaction(async (tx) => {
    const project = await requireProject(tx, user, projectId, 'owner');
    await lockOwner(tx, project.ownerId);
    await deleteProject(tx, project);
  });
}

async function describeProject(tx: Tx, project: Project, role: ProjectRole): Promise<AccountProject> {
  return described(project, role, await listApiKeys(tx, [project.id]));
}

function described(
  project: Project,
  role: ProjectRole,
  keys: readonly Pick<ApiKey, 'projectId' | 'kind'>[],
): AccountProject {
  const { id, name } = project;
  const kinds = keys.filter(({ projectId }) => projectId === id).map(({ kind }) => kind);
  return { id, name, role, keys: [...kinds, ...(hasPingKey(project) ? (['ping'] as const) : [])] };
}
