import { column, defineTable, executeSql, insertOrUpdate, type Tx } from '@certloop/db';
import { maxPlacesOfKind, placeLifeMs, type SignInPlace } from '@certloop/server';
import { In, MoreThan } from 'typeorm';
import type { Micros } from '../instants.js';

/** Networks and devices from which passwords of users were right. */
export const signInPlaces = defineTable('sign_in_places', {
  columns: {
    userId: column.uuid().primary(),
    /** Key of a `SignInPlace`. */
    place: column.word(80).primary(),
    lastUsedAt: column.preciseInstant(),
  },
  indexes: [{ columns: ['lastUsedAt'] }],
  references: [{ columns: ['userId'], table: 'users', onDelete: 'CASCADE' }],
});

const life = placeLifeMs * 1000;

/** The first of the places from which the user signed in within the last 30 days; undefined if there is none. */
export async function findKnownPlace(
  tx: Tx,
  userId: string,
  places: readonly SignInPlace[],
  now: Micros,
): Promise<string | undefined> {
  const lastUsedAt = MoreThan(now - life);
  const found = await tx.findBy(signInPlaces, {
    userId,
    place: In(places.map(({ key }) => key)),
    lastUsedAt,
  });
  return places.find(({ key }) => found.some(({ place }) => place === key))?.key;
}

/**
 * Notes a sign-in from these places; of each kind, the latest 20 of a user remain. Forgets those of all users from
 * which no one has signed in for 30 days.
 */
export async function noteSignInPlaces(
  tx: Tx,
  userId: string,
  places: readonly SignInPlace[],
  now: Micros,
): Promise<void> {
  for (const { kind, key } of places) {
    await insertOrUpdate(tx, signInPlaces, { userId, place: key, lastUsedAt: now });
    const beyond = `delete from sign_in_places where user_id = $1 and place like $2 and place not in (
      select place from sign_in_places where user_id = $1 and place like $2
      order by last_used_at desc, place limit $3)`;
    await executeSql(tx, beyond, [userId, `${kind}:%`, maxPlacesOfKind]);
  }
  await executeSql(tx, 'delete from sign_in_places where last_used_at <= $1', [now - life]);
}
