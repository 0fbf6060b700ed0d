import { column, defineTable, deleteRows, executeSql, insertOrUpdate, type Tx } from '@certloop/db';
import { maxPlacesOfKind, placeLifeMs, type SignInPlace } from '@certloop/server';
import { In, LessThanOrEqual, MoreThan } from 'typeorm';

/** A network or device from which the password of a user was right. */
export const signInPlaces = defineTable('sign_in_places', {
  columns: {
    userId: column.uuid().primary(),
    /** Key of a `SignInPlace`. */
    place: column.word(80).primary(),
    lastUsedAt: column.instant(),
  },
  indexes: [{ columns: ['lastUsedAt'] }],
  references: [{ columns: ['userId'], table: 'users', onDelete: 'CASCADE' }],
});

/** The first of the places from which the user signed in within the last 30 days; undefined if there is none. */
export async function findKnownPlace(
  tx: Tx,
  userId: string,
  places: readonly SignInPlace[],
  now: Date,
): Promise<string | undefined> {
  const lastUsedAt = MoreThan(new Date(now.getTime() - placeLifeMs));
  const found = await tx.findBy(signInPlaces, {
    userId,
    place: In(places.map(({ key }) => key)),
    lastUsedAt,
  });
  return places.find(({ key }) => found.some(({ place }) => place === key))?.key;
}

/** Notes a sign-in from these places; of each kind, the latest 20 of a user remain. */
export async function noteSignInPlaces(
  tx: Tx,
  userId: string,
  places: readonly SignInPlace[],
  now: Date,
): Promise<void> {
  for (const { kind, key } of places) {
    await insertOrUpdate(tx, signInPlaces, { userId, place: key, lastUsedAt: now });
    const beyond = `delete from sign_in_places where user_id = $1 and place like $2 and place not in (
      select place from sign_in_places where user_id = $1 and place like $2
      order by last_used_at desc, place limit $3)`;
    await executeSql(tx, beyond, [userId, `${kind}:%`, maxPlacesOfKind]);
  }
}

/** Forgets the places from which no one has signed in for 30 days. */
export async function deleteOldPlaces(tx: Tx, now: Date): Promise<void> {
  const lastUsedAt = LessThanOrEqual(new Date(now.getTime() - placeLifeMs));
  await deleteRows(tx, signInPlaces, { lastUsedAt });
}
