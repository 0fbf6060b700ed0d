import { column, defineTable, insertOrUpdate, querySql, type RowOf, type Tx } from '@certloop/db';
import { type Project, projects } from '../projects/projects.repository.js';
import { type User, users } from '../projects/users.repository.js';
import type { MemberRole } from './role.js';

/** Who may use a project in addition to its owner. */
export const members = defineTable('members', {
  columns: {
    projectId: column.uuid().primary(),
    userId: column.uuid().primary(),
    role: column.word<MemberRole>(10),
  },
  indexes: [{ columns: ['userId'] }],
  references: [
    { columns: ['projectId'], table: 'projects', onDelete: 'CASCADE' },
    { columns: ['userId'], table: 'users', onDelete: 'CASCADE' },
  ],
});

export type MemberRow = RowOf<typeof members>;

/** Projects that a user owns or is a member of, oldest first; `role` is null where they are the owner. */
export async function listProjectsOf(
  tx: Tx,
  userId: string,
): Promise<(Project & { readonly role: MemberRole | null })[]> {
  const columns = { ...projects.columns, role: members.columns.role.nullable() };
  const text = `select p.*, m.role from projects p
    left join members m on m.project_id = p.id and m.user_id = $1
    where p.owner_id = $1 or m.user_id is not null order by p.created_at, p.id`;
  return querySql(tx, columns, text, [userId]);
}

/** How many projects the user owns. */
export async function countOwnProjects(tx: Tx, userId: string): Promise<number> {
  const text = 'select count(*) as n from projects where owner_id = $1';
  const [row] = await querySql(tx, { n: column.bigint() }, text, [userId]);
  return row?.n ?? 0;
}

export async function findRole(tx: Tx, projectId: string, userId: string): Promise<MemberRole | undefined> {
  return (await tx.findOneBy(members, { projectId, userId }))?.role;
}

/** Members of a project by their addresses, without its owner. */
export async function listMembers(
  tx: Tx,
  projectId: string,
): Promise<(Pick<User, 'id' | 'email'> & Pick<MemberRow, 'role'>)[]> {
  const columns = { id: users.columns.id, email: users.columns.email, role: members.columns.role };
  const text = `select u.id, u.email, m.role from members m join users u on u.id = m.user_id
    where m.project_id = $1 order by u.email`;
  return querySql(tx, columns, text, [projectId]);
}

/** Puts the membership in the place of an earlier one. */
export function replaceMember(tx: Tx, row: MemberRow): Promise<void> {
  return insertOrUpdate(tx, members, row);
}

export async function deleteMember(tx: Tx, projectId: string, userId: string): Promise<void> {
  await tx.delete(members, { projectId, userId });
}
