import type { ProjectRole } from '@certloop/contracts';

/** Role of a user in a project that they do not own. */
export type MemberRole = Exclude<ProjectRole, 'owner'>;

const ranks: Readonly<Record<ProjectRole, number>> = { 'read-only': 0, member: 1, owner: 2 };

/** Whether someone with this role may do what `needed` may. */
export function mayAs(role: ProjectRole, needed: ProjectRole): boolean {
  return ranks[role] >= ranks[needed];
}
