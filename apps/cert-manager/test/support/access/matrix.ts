import { certManagerContract } from '@certloop/contracts';
import type { TestApp } from '../app.js';
import { grant, grantEverything } from '../factories.js';
import { addSpace } from '../inventory.js';
import { type Person, type SignedIn, settlePerson, signIn } from '../people.js';

/** Kinds of caller, by what they may do in the space at hand: no one, nothing, three levels, everywhere, all. */
export const callerKinds = ['anonymous', 'none', 'R', 'RW', 'F', 'GF', 'A'] as const;
export type CallerKind = (typeof callerKinds)[number];

/** A row of the matrix: an operation, perhaps in a situation of its own, and what each kind is answered. */
export interface MatrixRow {
  readonly name: string;
  readonly operation: keyof typeof certManagerContract;
  readonly statuses: readonly number[];
}

/** Rows of a table of `operation[/situation] status × 7`; one status alone stands for all kinds. */
export function rowsOf(table: string): MatrixRow[] {
  return table
    .trim()
    .split('\n')
    .map((line) => {
      const [name = '', ...words] = line.trim().split(/\s+/);
      const [operation = ''] = name.split('/');
      if (!(operation in certManagerContract)) throw new Error(`no operation ${operation}`);
      const statuses = words.length === 1 ? callerKinds.map(() => Number(words[0])) : words.map(Number);
      return { name, operation: operation as MatrixRow['operation'], statuses };
    });
}

/** People of every kind but the first, with what they may do in `space`. */
export interface Cast {
  readonly space: string;
  readonly people: Readonly<Record<Exclude<CallerKind, 'anonymous'>, Person>>;
}

export async function settleCast(app: TestApp): Promise<Cast> {
  const settle = (username: string) => settlePerson(app, { username });
  const people = {
    none: app.people.cleo,
    R: await settle('reader'),
    RW: await settle('writer'),
    F: await settle('holder'),
    GF: await settle('keeper'),
    A: app.people.ada,
  };
  await grantEverything(app, people.GF);
  return { space: await newSpaceFor(app, people), people };
}

/** A new space in which the people of the cast have what their kinds say. */
export async function newSpaceFor(app: TestApp, people: Cast['people']): Promise<string> {
  const { id } = await addSpace(app);
  await grant(app, people.R, 'READ', [id]);
  await grant(app, people.RW, 'READ_WRITE', [id]);
  await grant(app, people.F, 'FULL_ACCESS', [id]);
  return id;
}

/** One caller about to ask. */
export interface Asking {
  readonly app: TestApp;
  readonly cast: Cast;
  readonly kind: CallerKind;
  /** Who asks; for no one, someone whose credentials are not sent. */
  readonly person: Person;
  readonly send: (
    method: 'get' | 'post' | 'put' | 'delete',
    path: string,
  ) => ReturnType<TestApp['request']['get']>;
  /** The same in a session instead of by a token. */
  readonly inSession: () => Promise<Asking['send']>;
}

/** Sends one request. */
export type Ask = (asking: Asking) => PromiseLike<{ readonly status: number }>;

export function askingAs(app: TestApp, cast: Cast, kind: CallerKind): Asking {
  const person = kind === 'anonymous' ? app.people.ben : cast.people[kind];
  const by = (headers: object) => (method: 'get' | 'post' | 'put' | 'delete', path: string) =>
    app.request[method](path).set({ ...headers });
  return {
    app,
    cast,
    kind,
    person,
    send: by(kind === 'anonymous' ? {} : person.auth),
    inSession: async () => {
      if (kind === 'anonymous') return by({});
      const session: SignedIn = await signIn(app, person);
      return by(session.writing);
    },
  };
}

let made = 0;
/** A name that no other request has. */
export function newName(): string {
  made += 1;
  return `host-${made}.example.org`;
}
