import { column, defineTable, executeSql, querySql, type RowOf, type Tx, updateRows } from '@certloop/db';

export const users = defineTable('users', {
  columns: {
    id: column.uuid().primary(),
    email: column.word(254),
    /** Checks over all projects of the user. */
    checkLimit: column.integer().nullable(),
    /** Maximum of stored pings of each check. */
    pingLimit: column.integer().nullable(),
    checkCount: column.integer(),
    createdAt: column.preciseInstant(),
  },
  indexes: [{ columns: ['email'], unique: true }],
});

/** Who projects belong to. Limits of null are those of the service. */
export type User = RowOf<typeof users>;

export async function findUser(tx: Tx, id: string): Promise<User | undefined> {
  return (await tx.findOneBy(users, { id })) ?? undefined;
}

export async function findUserByEmail(tx: Tx, email: string): Promise<User | undefined> {
  return (await tx.findOneBy(users, { email })) ?? undefined;
}

/** Maximum of stored pings of each check of a user's projects; null for that of the service. */
export async function findPingLimit(tx: Tx, ownerId: string): Promise<number | null> {
  const columns = { pingLimit: users.columns.pingLimit };
  const [owner] = await querySql(tx, columns, 'select ping_limit from users where id = $1', [ownerId]);
  return owner?.pingLimit ?? null;
}

export async function listUsers(tx: Tx): Promise<User[]> {
  return tx.find(users, { order: { createdAt: 'ASC', email: 'ASC' } });
}

export async function insertUser(tx: Tx, user: User): Promise<void> {
  await tx.insert(users, user);
}

export async function setUserLimits(
  tx: Tx,
  id: string,
  limits: Partial<Pick<User, 'checkLimit' | 'pingLimit'>>,
): Promise<void> {
  if (Object.keys(limits).length > 0) await updateRows<User>(tx, users, { id }, limits);
}

/**
 * The user, locked until the transaction ends: checks of one account are made and deleted one after
 * another, so that its count is right and two upserts cannot both find nothing.
 */
export async function lockOwner(tx: Tx, ownerId: string): Promise<User> {
  const text = 'update users set check_count = check_count where id = $1 returning *';
  const [owner] = await querySql(tx, users.columns, text, [ownerId]);
  if (owner === undefined) throw new Error(`there is no user ${ownerId}`);
  return owner;
}

/** Adds to the number of checks of an account; a negative number for deleted ones. */
export async function addToCheckCount(tx: Tx, ownerId: string, added: number): Promise<void> {
  await executeSql(tx, 'update users set check_count = check_count + $1 where id = $2', [added, ownerId]);
}
