import { type ListPage, type ListWindow, readListPage, type Tx } from '@certloop/db';
import { caselessKeyOf, type UserRow } from './user.js';
import { users } from './users.repository.js';

/** Which users a list has. */
export interface UserFilter {
  /** Part of the user name or of the e-mail address, whatever its case. */
  readonly q?: string | undefined;
  readonly isAdmin?: boolean | undefined;
  /** Members of this permission group. */
  readonly groupId?: string | undefined;
}

/** The users that match the filter, oldest first. */
export function readUserPage(tx: Tx, filter: UserFilter, window: ListWindow): Promise<ListPage<UserRow>> {
  const { isAdmin } = filter;
  const where = isAdmin === undefined ? {} : { is_admin: [isAdmin] };
  return readListPage(
    tx,
    { table: users, by: 'createdAt', where, also: (place) => conditionsOf(filter, place) },
    window,
  );
}

function conditionsOf({ q, groupId }: UserFilter, place: (value: string) => string): string[] {
  const conditions: string[] = [];
  if (q !== undefined) {
    const part = place(`%${caselessKeyOf(q).replace(/[\\%_]/g, '\\$&')}%`);
    conditions.push(`(username_key like ${part} escape '\\' or email_key like ${part} escape '\\')`);
  }
  if (groupId !== undefined) {
    const members = `select user_id from permission_group_members where group_id = ${place(groupId)}`;
    conditions.push(`id in (${members})`);
  }
  return conditions;
}
