import { NotFound } from '@certloop/contracts';
import type { Database } from '@certloop/db';
import { type AccountDeps, normalEmail } from '../projects/create-user.service.js';
import { getProject } from '../projects/projects.repository.js';
import { findUserByEmail } from '../projects/users.repository.js';
import { listProjectMembers, type Member, putMember, removeMember } from './project-members.service.js';
import type { MemberRole } from './role.js';

// A person who may write to the database acts for the owner of a project.

/** Makes a user a member of a project. Throws NotFound for the project, InvalidInput for the user. */
export async function addMember(
  deps: AccountDeps,
  projectId: string,
  member: { readonly email: string; readonly role: MemberRole },
): Promise<Member> {
  return putMember(deps, await ownerOf(deps, projectId), projectId, member);
}

/** Throws NotFound where no one of that address is a member. */
export async function dropMember(deps: AccountDeps, projectId: string, email: string): Promise<void> {
  const owner = await ownerOf(deps, projectId);
  const user = await deps.db.read((tx) => findUserByEmail(tx, normalEmail(email)));
  if (user === undefined) throw new NotFound(`there is no user ${email}`);
  await removeMember(deps, owner, projectId, user.id);
}

/** Owner and members of a project. Throws NotFound. */
export async function listMembersOf(deps: AccountDeps, projectId: string): Promise<Member[]> {
  return listProjectMembers(deps, await ownerOf(deps, projectId), projectId);
}

async function ownerOf({ db }: { readonly db: Database }, projectId: string) {
  return db.read(async (tx) => ({ id: (await getProject(tx, projectId)).ownerId }));
}
