import { createBoundedMap } from '../../authority/bounded-map.js';
import { noState, type State, type StateKind } from '../../authority/state.store.js';
import { readKey } from '../protocol/jws-header.js';
import type { Account } from './account.js';
import type { AcmeCertificate } from './acme-certificate.js';
import type { Authorization, Challenge } from './authorization.js';
import type { AuthorizedIdentifier } from './challenges.js';
import { identifierKey } from './identifiers.js';
import type { Order } from './order.js';

/** Everything that ACME remembers, in memory and bounded: of each kind the oldest goes first. The state outlasts it. */
export type AcmeStore = ReturnType<typeof createAcmeStore>;

/**
 * `keep` is the number of accounts, nonces, compromised keys, authorizations, orders and certificates each that are kept; of the last
 * two, one counts once for each of its identifiers.
 */
export function createAcmeStore(keep: number, state: State = noState) {
  const accountIds = new Map<string, string>();
  const orderIds = new Map<string, Set<string>>();
  const newestIds = new Map<string, string>();
  const provenIds = new Map<string, string>();
  const certificatesByRenewalId = new Map<string, AcmeCertificate>();

  const accounts = createBoundedMap<Account>({
    limit: keep,
    onDrop: ({ id, thumbprint }) => {
      state.drop('account', id);
      accountIds.delete(thumbprint);
      orderIds.delete(id);
    },
  });
  const orders = createBoundedMap<Order>({
    limit: keep,
    weigh: ({ identifiers }) => identifiers.length,
    onDrop: ({ id, accountId }) => {
      state.drop('order', id);
      orderIds.get(accountId)?.delete(id);
    },
  });
  const authorizations = createBoundedMap<Authorization>({
    limit: keep,
    onDrop: ({ id, accountId, identifier }) => {
      state.drop('authorization', id);
      const key = authorizationKey(accountId, identifier);
      for (const ids of [newestIds, provenIds]) if (ids.get(key) === id) ids.delete(key);
    },
  });
  const certificates = createBoundedMap<AcmeCertificate>({
    limit: keep,
    weigh: ({ identifiers }) => identifiers.length,
    onDrop: ({ id, renewalId }) => {
      state.drop('acme-certificate', id);
      certificatesByRenewalId.delete(renewalId);
    },
  });
  const nonces = createBoundedMap<true>({ limit: keep });
  const compromisedKeys = createBoundedMap<string>({
    limit: keep,
    onDrop: (spkiSha256) => state.drop('compromised-key', spkiSha256),
  });

  const insertAccount = (account: Account) => {
    accounts.insert(account.id, account);
    accountIds.set(account.thumbprint, account.id);
    orderIds.set(account.id, new Set());
  };
  const insertOrder = (order: Order) => {
    orders.insert(order.id, order);
    orderIds.get(order.accountId)?.add(order.id);
  };
  const insertAuthorization = (authorization: Authorization) => {
    authorizations.insert(authorization.id, authorization);
    const { accountId, identifier, id } = authorization;
    newestIds.set(authorizationKey(accountId, identifier), id);
  };
  const noteProven = ({ accountId, identifier, id }: Authorization) => {
    if (authorizations.get(id) !== undefined) provenIds.set(authorizationKey(accountId, identifier), id);
  };
  const insertCertificate = (certificate: AcmeCertificate) => {
    certificates.insert(certificate.id, certificate);
    certificatesByRenewalId.set(certificate.renewalId, certificate);
  };

  for (const [, record] of state.load('account')) insertAccount(accountOf(record as StoredAccount));
  for (const [, record] of state.load('authorization')) {
    const authorization = record as Authorization;
    insertAuthorization(authorization);
    if (authorization.challenges.some(isMet)) noteProven(authorization);
  }
  for (const [, record] of state.load('order')) insertOrder(resumed(record as Order));
  for (const [, record] of state.load('acme-certificate')) insertCertificate(record as AcmeCertificate);
  for (const [spkiSha256] of state.load('compromised-key')) compromisedKeys.insert(spkiSha256, spkiSha256);

  // A caller that has a record may change it: what was handed out since the last answer is written before the next one.
  const noted =
    <T extends { readonly id: string }>(kind: StateKind) =>
    <R extends T | undefined>(record: R): R => {
      if (record !== undefined) state.touch(kind, record.id, () => record);
      return record;
    };
  const notedAccount = (account: Account | undefined) => {
    if (account !== undefined) state.touch('account', account.id, () => storedAccount(account));
    return account;
  };
  const notedOrder = noted<Order>('order');
  const notedAuthorization = noted<Authorization>('authorization');
  const notedCertificate = noted<AcmeCertificate>('acme-certificate');

  return {
    insertAccount: (account: Account) => {
      notedAccount(account);
      insertAccount(account);
    },
    findAccount: (id: string) => notedAccount(accounts.get(id)),
    findAccountByThumbprint: (thumbprint: string) =>
      notedAccount(accounts.get(accountIds.get(thumbprint) ?? '')),
    changeKey: (account: Account, change: Pick<Account, 'jwk' | 'key' | 'thumbprint'>) => {
      notedAccount(account);
      accountIds.delete(account.thumbprint);
      Object.assign(account, change);
      accountIds.set(account.thumbprint, account.id);
    },
    insertOrder: (order: Order) => insertOrder(notedOrder(order)),
    findOrder: (id: string) => notedOrder(orders.get(id)),
    /** Oldest first. */
    listOrders: (accountId: string): Order[] =>
      [...(orderIds.get(accountId) ?? [])].flatMap((id) => orders.get(id) ?? []),
    insertAuthorization: (authorization: Authorization) =>
      insertAuthorization(notedAuthorization(authorization)),
    /** To be told of each authorization of which a challenge was met. */
    noteProven,
    /** Authorizations of which a validation was under way when the process ended. */
    listBroken: (): Authorization[] =>
      [...authorizations.values()].filter(({ challenges }) => challenges.some(isUnderWay)),
    /** SHA-256 of the SubjectPublicKeyInfo of a key that its holder has reported as compromised. */
    noteCompromised: (spkiSha256: string) => {
      if (compromisedKeys.get(spkiSha256) !== undefined) return;
      state.touch('compromised-key', spkiSha256, () => true);
      compromisedKeys.insert(spkiSha256, spkiSha256);
    },
    isCompromised: (spkiSha256: string): boolean => compromisedKeys.get(spkiSha256) !== undefined,
    findAuthorization: (id: string) => notedAuthorization(authorizations.get(id)),
    /** The account's newest one for the identifier. */
    findNewestAuthorization: (accountId: string, identifier: AuthorizedIdentifier) =>
      notedAuthorization(authorizations.get(newestIds.get(authorizationKey(accountId, identifier)) ?? '')),
    /** The account's one for the identifier that was proven last; it may be over since. */
    findProvenAuthorization: (accountId: string, identifier: AuthorizedIdentifier) =>
      notedAuthorization(authorizations.get(provenIds.get(authorizationKey(accountId, identifier)) ?? '')),
    insertCertificate: (certificate: AcmeCertificate) => insertCertificate(notedCertificate(certificate)),
    findCertificate: (id: string) => notedCertificate(certificates.get(id)),
    findCertificateByRenewalId: (renewalId: string) =>
      notedCertificate(certificatesByRenewalId.get(renewalId)),
    insertNonce: (nonce: string) => nonces.insert(nonce, true),
    /** Whether it was there; it is not a second time. */
    takeNonce: (nonce: string) => nonces.delete(nonce),
  };
}

const isMet = ({ endedAt, problem }: Challenge) => endedAt !== undefined && problem === undefined;
const isUnderWay = ({ startedAt, endedAt }: Challenge) => startedAt !== undefined && endedAt === undefined;

type StoredAccount = Omit<Account, 'key'>;

function storedAccount({ key: _, ...account }: Account): StoredAccount {
  return account;
}

function accountOf(stored: StoredAccount): Account {
  return { ...stored, key: readKey(stored.jwk).key };
}

/** An order whose certificate was being issued when the process ended is ready again: no client was given one. */
function resumed(order: Order): Order {
  if (order.certificateId === undefined && order.problem === undefined) order.finalizedAt = undefined;
  return order;
}

function authorizationKey(accountId: string, { type, value, wildcard }: AuthorizedIdentifier): string {
  return `${accountId} ${wildcard ? '*.' : ''}${identifierKey({ type, value })}`;
}
