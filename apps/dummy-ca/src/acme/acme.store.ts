import type { Account, AcmeCertificate, Authorization, Order } from './acme-records.js';
import { createBoundedMap } from './bounded-map.js';
import type { AuthorizedIdentifier } from './challenges.js';
import { identifierKey } from './identifiers.js';

/** Everything that ACME remembers, in memory and bounded: of each kind the oldest goes first. */
export type AcmeStore = ReturnType<typeof createAcmeStore>;

// Most orders have one or two names; those with many share the room of the others.
const authorizationsPerOrder = 4;

/** `keep` is the number of orders and of accounts, nonces and certificates each that are kept. */
export function createAcmeStore(keep: number) {
  const accountIds = new Map<string, string>();
  const orderIds = new Map<string, Set<string>>();
  const authorizationIds = new Map<string, string>();
  const certificatesByRenewalId = new Map<string, AcmeCertificate>();

  const accounts = createBoundedMap<Account>(keep, ({ id, thumbprint }) => {
    accountIds.delete(thumbprint);
    orderIds.delete(id);
  });
  const orders = createBoundedMap<Order>(keep, ({ id, accountId }) => orderIds.get(accountId)?.delete(id));
  const authorizations = createBoundedMap<Authorization>(keep * authorizationsPerOrder, (dropped) => {
    const key = authorizationKey(dropped.accountId, dropped.identifier);
    if (authorizationIds.get(key) === dropped.id) authorizationIds.delete(key);
  });
  const certificates = createBoundedMap<AcmeCertificate>(keep, ({ renewalId }) =>
    certificatesByRenewalId.delete(renewalId),
  );
  const nonces = createBoundedMap<true>(keep);

  return {
    insertAccount: (account: Account) => {
      accounts.set(account.id, account);
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
      orders.set(order.id, order);
      orderIds.get(order.accountId)?.add(order.id);
    },
    findOrder: (id: string) => orders.get(id),
    /** Oldest first. */
    listOrders: (accountId: string): Order[] =>
      [...(orderIds.get(accountId) ?? [])].flatMap((id) => orders.get(id) ?? []),
    insertAuthorization: (authorization: Authorization) => {
      authorizations.set(authorization.id, authorization);
      const { accountId, identifier, id } = authorization;
      authorizationIds.set(authorizationKey(accountId, identifier), id);
    },
    findAuthorization: (id: string) => authorizations.get(id),
    /** The account's newest one for the identifier. */
    findNewestAuthorization: (accountId: string, identifier: AuthorizedIdentifier) =>
      authorizations.get(authorizationIds.get(authorizationKey(accountId, identifier)) ?? ''),
    insertCertificate: (certificate: AcmeCertificate) => {
      certificates.set(certificate.id, certificate);
      certificatesByRenewalId.set(certificate.renewalId, certificate);
    },
    findCertificate: (id: string) => certificates.get(id),
    findCertificateByRenewalId: (renewalId: string) => certificatesByRenewalId.get(renewalId),
    insertNonce: (nonce: string) => nonces.set(nonce, true),
    /** Whether it was there; it is not a second time. */
    takeNonce: (nonce: string) => nonces.delete(nonce),
  };
}

function authorizationKey(accountId: string, { type, value, wildcard }: AuthorizedIdentifier): string {
  return `${accountId} ${wildcard ? '*.' : ''}${identifierKey({ type, value })}`;
}
