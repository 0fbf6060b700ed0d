import type { Database } from '@certloop/db';
import type { Clock } from '@certloop/server';
import type supertest from 'supertest';
import { addToken, addUser, type NewToken, type NewUser } from './factories.js';

/** Someone with an account and an API token of the scope ADMIN, which is their own rights unchanged. */
export interface Person {
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly password: string;
  readonly token: string;
  /** Headers that make a request this person's: `request.get('/spaces').set(ada.auth)`. */
  readonly auth: { readonly Authorization: string };
}

export interface People {
  /** An administrator. */
  readonly ada: Person;
  /** Has what a test gives them: `grant(app, ben, 'READ_WRITE', [space.id])`. */
  readonly ben: Person;
  /** Has no right at all. */
  readonly cleo: Person;
}

export async function settlePeople(database: Database, clock: Clock): Promise<People> {
  const settle = (user: NewUser) => settlePerson({ database, clock }, user);
  return {
    ada: await settle({ username: 'ada', isAdmin: true }),
    ben: await settle({ username: 'ben' }),
    cleo: await settle({ username: 'cleo' }),
  };
}

/** One more person; with an existing user name the database refuses. */
export async function settlePerson(
  app: { readonly database: Database; readonly clock: Clock },
  user: NewUser,
  token: NewToken = {},
): Promise<Person> {
  const { id, username, email, password } = await addUser(app, user);
  const text = await addToken(app, id, token);
  return { id, username, email, password, token: text, auth: { Authorization: `Bearer ${text}` } };
}

/** An open session as a browser uses it. */
export interface SignedIn {
  readonly csrfToken: string;
  /** Headers of a request that only reads. */
  readonly reading: Readonly<Record<string, string>>;
  /** Headers of a request that writes, from a page of the service itself. */
  readonly writing: Readonly<Record<string, string>>;
}

export async function signIn(
  { request }: { readonly request: ReturnType<typeof supertest> },
  { username, password }: { readonly username: string; readonly password: string },
): Promise<SignedIn> {
  const { body, headers } = await request.post('/auth/login').send({ username, password });
  const [cookie = ''] = headers['set-cookie'] as unknown as string[];
  const reading = { Cookie: cookie.split(';')[0] ?? '' };
  const writing = { ...reading, 'X-CSRF-Token': body.csrfToken, 'Sec-Fetch-Site': 'same-origin' };
  return { csrfToken: body.csrfToken, reading, writing };
}
