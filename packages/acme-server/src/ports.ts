import type { KeyObject } from 'node:crypto';
import type { acmeRequests } from '@certloop/contracts';
import type { Certificate, MacAlgorithm, PublicJwk, RevocationReason } from '@certloop/crypto';
import type { Clock, Logger } from '@certloop/server';
import type { Request } from 'express';
import type { SignedRequest } from './protocol/signed-request.js';
import type { Identifier } from './records/identifiers.js';
import type { Account, AcmeCertificate, Authorization, Order, RenewalWindow } from './records/records.js';

/** Value that an app has in memory, or fetches. */
export type Awaitable<T> = T | Promise<T>;

/** Records of an app, which may have more members than the server needs. */
export interface AcmeRecords {
  readonly account: Account;
  readonly order: Order;
  readonly certificate: AcmeCertificate;
  /** Whom an account is bound to (RFC 8555 §7.3.4). */
  readonly binding: unknown;
  /** Profile and validity that an order asks for. */
  readonly terms: unknown;
  /** A CSR that may be issued for. */
  readonly csr: unknown;
}

/** Where two apps that serve ACME differ. */
export interface AcmePorts<T extends AcmeRecords = AcmeRecords> {
  readonly store: AcmeStore<T>;
  readonly nonces: Nonces;
  readonly settings: ServerSettings;
  readonly clock: Clock;
  readonly logger: Logger;
  /**
   * Called for each request whose signature holds, before its account is judged and its use case runs. Throws `unauthorized`
   * for one that is not admitted.
   */
  admit?(request: SignedRequest<T['account']>): Awaitable<void>;
  /**
   * Returns whom a new account is bound to; `binding` is undefined if the request has none. Throws
   * `externalAccountRequired` if it must have one, and `unauthorized` for a key identifier or MAC that is not accepted.
   */
  bind(binding: AskedBinding | undefined, request: SignedRequest<T['account']>): Awaitable<T['binding']>;
  /** Reads profile and validity of newOrder. Throws `invalidProfile` or `malformed`. */
  readTerms(asked: acmeRequests.NewOrder): Awaitable<T['terms']>;
  /**
   * Throws `rejectedIdentifier` for identifiers that the account may not have, before the certificate that the order is to
   * replace is judged. Where there is none, a store may judge them when it inserts the order instead.
   */
  permit(
    account: T['account'],
    identifiers: readonly Identifier[],
    replaces: string | undefined,
  ): Awaitable<void>;
  /** Returns the authorizations of an order, each under its id; undefined for one that is not stored any more. */
  authorize(order: T['order']): Awaitable<readonly (Authorization | undefined)[]>;
  /** Judges the CSR of finalize, which is base64url of its DER. Throws `malformed` or `badCSR`. */
  judgeCsr(csr: string, order: T['order'], account: T['account']): Awaitable<T['csr']>;
  /**
   * Makes a ready order `processing` and begins its issuance. Returns the order as it is then, or undefined, without any
   * change, if it was not ready any more.
   */
  issue(
    request: SignedRequest<T['account']>,
    order: T['order'],
    csr: T['csr'],
  ): Awaitable<T['order'] | undefined>;
  /** Returns what may follow the leaf in a download, as PEM; the first one is the default chain. */
  chainsOf(certificate: T['certificate']): Awaitable<readonly string[]>;
  /** Returns whether the signer, an account or the key of the certificate itself, may revoke it. */
  mayRevoke(
    request: SignedRequest<T['account']>,
    certificate: T['certificate'],
    parsed: Certificate,
  ): Awaitable<boolean>;
  /** Returns once the certificate is revoked. Throws `alreadyRevoked`. */
  revoke(
    request: SignedRequest<T['account']>,
    certificate: T['certificate'],
    reason: RevocationReason,
  ): Awaitable<void>;
  /** Returns when to renew the certificate; undefined if there is none. Any client may ask. */
  renewalInfo(renewalId: string, exchange: Request): Awaitable<RenewalInfo | undefined>;
}

/** Records as they are stored. Each change compares the state that the caller saw, and reports whether it was made. */
export interface AcmeStore<T extends AcmeRecords = AcmeRecords> {
  findAccount(id: string): Awaitable<T['account'] | undefined>;
  /** The account that holds the key; one that deactivated itself still does. */
  findAccountByThumbprint(thumbprint: string): Awaitable<T['account'] | undefined>;
  /** Returns undefined if another request gave the key an account in the meantime. */
  insertAccount(
    request: SignedRequest<T['account']>,
    account: NewAccount,
    binding: T['binding'],
  ): Awaitable<T['account'] | undefined>;
  /** Returns the account as it is then, undefined if it is not valid any more. */
  changeAccount(
    request: SignedRequest<T['account']>,
    account: T['account'],
    change: AccountChange,
  ): Awaitable<T['account'] | undefined>;
  /** Returns the account under its new key, undefined if its key changed or the new one got an account. */
  changeKey(
    request: SignedRequest<T['account']>,
    account: T['account'],
    key: AccountKey,
  ): Awaitable<T['account'] | undefined>;
  /** Returns undefined if another order replaces the certificate that this one is to replace. */
  insertOrder(request: SignedRequest<T['account']>, order: NewOrder<T>): Awaitable<T['order'] | undefined>;
  /** The order; a store may hide one of another account, which is refused otherwise. */
  findOrder(request: SignedRequest<T['account']>, id: string): Awaitable<T['order'] | undefined>;
  /** Orders of the account that are not invalid, oldest first; undefined for a cursor that is none of them. */
  listOrders(account: T['account'], page: OrderPage): Awaitable<readonly T['order'][] | undefined>;
  /** The certificate; a store may hide one that the account may not have, which is refused otherwise. */
  findCertificate(request: SignedRequest<T['account']>, id: string): Awaitable<T['certificate'] | undefined>;
  /** For `replaces` and revocation. */
  findCertificateByRenewalId(
    request: SignedRequest<T['account']>,
    renewalId: string,
  ): Awaitable<T['certificate'] | undefined>;
}

/** Nonces against replay (RFC 8555 §6.5). */
export interface Nonces {
  issue(): string;
  /** Throws `badNonce` for one that cannot be accepted; called before the signature is verified. */
  check(nonce: string): Awaitable<void>;
  /**
   * Notes that a signed request used its nonce, once, when the use case has ended, well or not. Throws `badNonce` if an
   * earlier request used it. A store that noted it with a change of this request does nothing here.
   */
  use(request: SignedRequest): Awaitable<void>;
}

/** Settings of the server that the operator or the app decides. */
export interface ServerSettings {
  /** Accounts must agree to the terms at this address; undefined for no terms. */
  readonly termsOfService: string | undefined;
  readonly website?: string | undefined;
  readonly requireExternalAccount: boolean;
  /** Algorithms that an external account binding may have. */
  readonly bindingAlgorithms: readonly MacAlgorithm[];
  /** A sentence for each profile, by its name; undefined without profiles. */
  readonly profiles?: Readonly<Record<string, string>> | undefined;
  /** Whether identifiers can be authorized ahead of orders (RFC 8555 §7.4.1). */
  readonly hasNewAuthz: boolean;
  readonly ordersPerPage: number;
  /** Seconds that clients are asked to wait before they ask again, unless the order has its own. */
  readonly retryAfterSeconds: number;
}

/** An external account binding of the right form, whose MAC is not verified yet. */
export interface AskedBinding {
  /** Undefined if it is not a text. */
  readonly kid: string | undefined;
  /** The binding as it was sent. */
  readonly document: object;
  /** Compares in constant time. */
  isMadeWith(hmacKey: Uint8Array): boolean;
}

export interface AccountKey {
  readonly jwk: PublicJwk;
  readonly key: KeyObject;
  readonly thumbprint: string;
}

export interface NewAccount extends AccountKey {
  readonly contacts: readonly string[];
  readonly termsAgreed: boolean;
  readonly externalAccountBinding: object | undefined;
}

export interface AccountChange {
  readonly contacts?: readonly string[];
  readonly isDeactivated?: true;
}

export interface NewOrder<T extends AcmeRecords = AcmeRecords> {
  readonly account: T['account'];
  readonly identifiers: readonly Identifier[];
  readonly terms: T['terms'];
  /** `replaces` of the request, and the certificate that it names; undefined without it. */
  readonly replaced: { readonly renewalId: string; readonly certificate: T['certificate'] } | undefined;
}

export interface OrderPage {
  /** Id of the first order of the page; undefined for the oldest one. */
  readonly cursor: string | undefined;
  readonly max: number;
}

export interface RenewalInfo {
  readonly window: RenewalWindow;
  /** A page for people (RFC 9773 §4.2). */
  readonly explanationUrl?: string | undefined;
  readonly retryAfterSeconds: number;
}
