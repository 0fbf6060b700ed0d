import { type AuthorizedIdentifier, identifierKey } from '@certloop/acme-server/rules';
import { createBoundedMap } from '../../authority/bounded-map.js';
import type { State } from '../../authority/state.store.js';
import { noteOf } from './noted-record.store.js';
import type { Authorization, Challenge } from './records.js';

export function createAuthorizationsStore(maxRecords: number, state: State) {
  const newestIds = new Map<string, string>();
  const provenIds = new Map<string, string>();
  const authorizations = createBoundedMap<Authorization>({
    limit: maxRecords,
    onDrop: ({ id, accountId, identifier }) => {
      state.drop('authorization', id);
      const key = keyOf(accountId, identifier);
      for (const ids of [newestIds, provenIds]) if (ids.get(key) === id) ids.delete(key);
    },
  });
  const insert = (authorization: Authorization) => {
    authorizations.insert(authorization.id, authorization);
    const { accountId, identifier, id } = authorization;
    newestIds.set(keyOf(accountId, identifier), id);
  };
  const noteProven = ({ accountId, identifier, id }: Authorization) => {
    if (authorizations.get(id) !== undefined) provenIds.set(keyOf(accountId, identifier), id);
  };
  const noted = noteOf<Authorization>(state, 'authorization');

  for (const [, record] of state.load('authorization')) {
    const authorization = record as Authorization;
    insert(authorization);
    if (authorization.challenges.some(isMet)) noteProven(authorization);
  }

  return {
    insertAuthorization: (authorization: Authorization) => insert(noted(authorization)),
    /** Call this with each authorization that has a valid challenge. */
    noteProven,
    /** Authorizations of which a validation was under way when the process ended. */
    listBroken: (): Authorization[] =>
      [...authorizations.values()].filter(({ challenges }) => challenges.some(isUnderWay)),
    findAuthorization: (id: string) => noted(authorizations.get(id)),
    /** The account's newest one for the identifier. */
    findNewestAuthorization: (accountId: string, identifier: AuthorizedIdentifier) =>
      noted(authorizations.get(newestIds.get(keyOf(accountId, identifier)) ?? '')),
    /** The account's one for the identifier that was proven last; it may be over since. */
    findProvenAuthorization: (accountId: string, identifier: AuthorizedIdentifier) =>
      noted(authorizations.get(provenIds.get(keyOf(accountId, identifier)) ?? '')),
  };
}

const isMet = ({ endedAt, problem }: Challenge) => endedAt !== undefined && problem === undefined;
const isUnderWay = ({ startedAt, endedAt }: Challenge) => startedAt !== undefined && endedAt === undefined;

function keyOf(accountId: string, { type, value, wildcard }: AuthorizedIdentifier): string {
  return `${accountId} ${wildcard ? '*.' : ''}${identifierKey({ type, value })}`;
}
