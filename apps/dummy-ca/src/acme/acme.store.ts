import { createBoundedMap } from '../authority/bounded-map.js';
import type { Account, AcmeCertificate, Authorization, Order } from './acme-records.js';
import type { AuthorizedIdentifier } from './challenges.js';
import { identifierKey } from './identifiers.js';

/** Everything that ACME remembers, in memory and bounded: of each kind the oldest goes first. */
export type AcmeStore = ReturnType<typeof createAcmeStore>;

/**
 * `keep` is the number of accounts, nonces, compromised keys, authorizations, orders and certificates each that are kept; of the last
 * two, one counts once for each of its identifiers.
 */
export function createAcmeStore(keep: number) {
  const accountIds = new Map<string, string>();
  const orderIds = new Map<string, Set<string>>();
  const newestIds = new Map<string, string>();
  const provenIds = new Map<string, string>();
  const certificatesByRenewalId = new Map<string, AcmeCertificate>();

  const accounts = createBoundedMap<Account>({
    limit: keep,
    onDrop: ({ id, thumbprint }) => {
      accountIds.delete(thumbprint);
      orderIds.delete(id);
    },
  });
  const orders = createBoundedMap<Order>({
    limit: keep,
    weigh: ({ identifiers }) => identifiers.length,
    onDrop: ({ id, accountId }) => orderIds.get(accountId)?.delete(id),
  });
  const authorizations = createBoundedMap<Authorization>({
    limit: keep,
    onDrop: ({ id, accountId, identifier }) => {
      const key = authorizationKey(accountId, identifier);
      for (const ids of [newestIds, provenIds]) if (ids.get(key) === id) ids.delete(key);
    },
  });
  const certificates = createBoundedMap<AcmeCertificate>({
    limit: keep,
    weigh: ({ identifiers }) => identifiers.length,
    onDrop: ({ renewalId }) => certificatesByRenewalId.delete(renewalId),
  });
  const nonces = createBoundedMap<true>({ limit: keep });
  const compromisedKeys = createBoundedMap<true>({ limit: keep });

  return {
    insertAccount: (account: Account) => {
      accounts.insert(account.id, account);
      accountIds.set(account.thumbprint, account.id);
      orderIds.set(account.id, new Set());
    },
    findAccount: (id: string) => accounts.get(id),
    findAccountByThumbprint: (thumbprint: string) => accounts.get(accountIds.get(thumbprint) ?? ''),
    changeKey: (account: Account, change: Pick<Account, 'jwk' | 'key' | 'thumbprint'>) => {
      accountIds.delete(account.thumbprint);
      Object.assign(account, change);
      accountIds.set(account.thumbprint, account.id);
    },
    insertOrder: (order: Order) => {
      orders.insert(order.id, order);
      orderIds.get(order.accountId)?.add(order.id);
    },
    findOrder: (id: string) => orders.get(id),
    /** Oldest first. */
    listOrders: (accountId: string): Order[] =>
      [...(orderIds.get(accountId) ?? [])].flatMap((id) => orders.get(id) ?? []),
    insertAuthorization: (authorization: Authorization) => {
      authorizations.insert(authorization.id, authorization);
      const { accountId, identifier, id } = authorization;
      newestIds.set(authorizationKey(accountId, identifier), id);
    },
    /** To be told of each authorization of which a challenge was met. */
    noteProven: ({ accountId, identifier, id }: Authorization) => {
      if (authorizations.get(id) !== undefined) provenIds.set(authorizationKey(accountId, identifier), id);
    },
    /** SHA-256 of the SubjectPublicKeyInfo of a key that its holder has reported as compromised. */
    noteCompromised: (spkiSha256: string) => {
      if (compromisedKeys.get(spkiSha256) === undefined) compromisedKeys.insert(spkiSha256, true);
    },
    isCompromised: (spkiSha256: string): boolean => compromisedKeys.get(spkiSha256) === true,
    findAuthorization: (id: string) => authorizations.get(id),
    /** The account's newest one for the identifier. */
    findNewestAuthorization: (accountId: string, identifier: AuthorizedIdentifier) =>
      authorizations.get(newestIds.get(authorizationKey(accountId, identifier)) ?? ''),
    /** The account's one for the identifier that was proven last; it may be over since. */
    findProvenAuthorization: (accountId: string, identifier: AuthorizedIdentifier) =>
      authorizations.get(provenIds.get(authorizationKey(accountId, identifier)) ?? ''),
    insertCertificate: (certificate: AcmeCertificate) => {
      certificates.insert(certificate.id, certificate);
      certificatesByRenewalId.set(certificate.renewalId, certificate);
    },
    findCertificate: (id: string) => certificates.get(id),
    findCertificateByRenewalId: (renewalId: string) => certificatesByRenewalId.get(renewalId),
    insertNonce: (nonce: string) => nonces.insert(nonce, true),
    /** Whether it was there; it is not a second time. */
    takeNonce: (nonce: string) => nonces.delete(nonce),
  };
}

function authorizationKey(accountId: string, { type, value, wildcard }: AuthorizedIdentifier): string {
  return `${accountId} ${wildcard ? '*.' : ''}${identifierKey({ type, value })}`;
}
