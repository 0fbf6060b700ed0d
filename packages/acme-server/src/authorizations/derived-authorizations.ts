import { createHash } from 'node:crypto';
import { authorizedIdentifier, challengeTypesOf } from '../records/challenges.js';
import type { Identifier } from '../records/identifiers.js';
import type { Authorization, Order } from '../records/records.js';

/** Ids of the authorizations of an order that its account authorizes: they follow from the order. */
export const derivedAuthorizationIds = (orderId: string, identifiers: readonly Identifier[]): string[] =>
  identifiers.map((_, number) => `${orderId}-${number}`);

/** Id of the order that an id of such an authorization is of; undefined for other texts. */
export const orderIdOf = (authorizationId: string): string | undefined =>
  /^(.+)-\d{1,3}$/.exec(authorizationId)?.[1];

/**
 * Authorizations of an order that its account authorizes, each valid from the beginning until the order ends. All of its
 * challenges are valid, as clients look for the one that they know.
 */
export function derivedAuthorizations(
  { id, accountId, identifiers, expires }: Pick<Order, 'id' | 'accountId' | 'identifiers' | 'expires'>,
  authorizedAt: Date,
): Authorization[] {
  const ids = derivedAuthorizationIds(id, identifiers);
  return identifiers.map(authorizedIdentifier).map((identifier, number) => ({
    id: ids[number] ?? '',
    accountId,
    identifier,
    // It proves nothing: the account's binding is the proof.
    token: createHash('sha256').update(`${id} ${number}`).digest('base64url'),
    expires,
    deactivatedAt: undefined,
    challenges: challengeTypesOf(identifier).map((type) => ({
      type,
      startedAt: authorizedAt,
      endedAt: authorizedAt,
      problem: undefined,
      toldAt: undefined,
    })),
    isPreAuthorization: false,
  }));
}
