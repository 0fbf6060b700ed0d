import { InvalidInput, NotFound, type ProjectRole } from '@certloop/contracts';
import { type AccountDeps, normalEmail } from '../projects/create-user.service.js';
import { lockProjectForShare } from '../projects/projects.repository.js';
import { findUser, findUserByEmail } from '../projects/users.repository.js';
import { type AccountBounds, type Person, requireProject } from './account-projects.service.js';
import { deleteMember, listMembers, replaceMember } from './members.repository.js';
import type { MemberRole } from './role.js';

export interface Member {
  readonly id: string;
  readonly email: string;
  readonly role: ProjectRole;
}

/** The owner first, then the members by their addresses. */
export function listProjectMembers({ db }: AccountDeps, user: Person, projectId: string): Promise<Member[]> {
  return db.read(async (tx) => {
    const { ownerId } = await requireProject(tx, user, projectId, 'read-only');
    const owner = await findUser(tx, ownerId);
    const first: Member[] = owner === undefined ? [] : [{ id: ownerId, email: owner.email, role: 'owner' }];
    return [...first, ...(await listMembers(tx, projectId))];
  });
}

/**
 * Throws InvalidInput where the address has no account, or is the owner's; too_many_requests after too many addresses
 * without an account, so that no one finds out about a list of them.
 */
export function putMember(
  { db, addressProbes }: Pick<AccountDeps, 'db'> & Partial<AccountBounds>,
  user: Person,
  projectId: string,
  { email, role }: { readonly email: string; readonly role: MemberRole },
): Promise<Member> {
  return db.transaction(async (tx) => {
    const project = await requireProject(tx, user, projectId, 'owner');
    addressProbes?.require(user.id);
    const found = await findUserByEmail(tx, normalEmail(email));
    if (found === undefined) {
      addressProbes?.count(user.id);
      throw new InvalidInput(`email: there is no user ${email}`);
    }
    if (found.id === project.ownerId) throw new InvalidInput('email: the owner cannot also be a member');
    await lockProjectForShare(tx, project.id);
    await replaceMember(tx, { projectId: project.id, userId: found.id, role });
    return { id: found.id, email: found.email, role };
  });
}

/** Removes a member. The owner may remove any member, others only themselves. Throws NotFound if there is no such member. */
export async function removeMember(
  { db }: AccountDeps,
  user: Person,
  projectId: string,
  memberId: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    const id = memberId.toLowerCase();
    const project = await requireProject(tx, user, projectId, id === user.id ? 'read-only' : 'owner');
    const members = await listMembers(tx, project.id);
    if (!members.some((member) => member.id === id)) throw new NotFound('there is no such member');
    await deleteMember(tx, project.id, id);
  });
}
