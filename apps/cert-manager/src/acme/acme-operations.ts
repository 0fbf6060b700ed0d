import type { KeyObject } from 'node:crypto';
import type {
  AcmeAccount,
  AcmeAuthorization,
  AcmeIdentifier,
  AcmeOrder,
  AcmeRenewalInfo,
} from '@certloop/contracts';
import type { AcmeDirectory } from './directory.js';

/** The key that signs, and the URL of its account; undefined for a key that has no account yet. */
export interface AcmeSigner {
  readonly privateKey: KeyObject;
  readonly accountUrl?: string | undefined;
}

/** External account binding (RFC 8555 §7.3.4); `hmacKey` is base64url. */
export interface ExternalAccount {
  readonly kid: string;
  readonly hmacKey: string;
}

export interface NewAccount {
  /** Mail addresses. */
  readonly contactEmails: readonly string[];
  readonly eab?: ExternalAccount | undefined;
}

export interface NewOrder {
  readonly identifiers: readonly AcmeIdentifier[];
  readonly profile?: string | undefined;
  /** Certificate that the new one replaces (RFC 9773 §5). */
  readonly replaces?: string | undefined;
}

/** A resource, and when the CA wants to be asked again. */
export interface Resource<T> {
  readonly body: T;
  readonly retryAt: Date | undefined;
}

/**
 * The resources of RFC 8555 §7, one function each. Each throws AcmeProblem when the CA refuses and UpstreamFailed
 * when it does not answer, or with something else.
 */
export interface AcmeClient {
  directory(): Promise<AcmeDirectory>;
  /** Has the CA issue a nonce. */
  fetchNonce(): Promise<void>;
  /** Makes the account of a key, or finds it when there is one already. */
  newAccount(signer: AcmeSigner, account: NewAccount): Promise<{ url: string; account: AcmeAccount }>;
  /** URL of the account of a key; undefined when it has none. */
  findAccount(signer: AcmeSigner): Promise<string | undefined>;
  updateContact(signer: AcmeSigner, contactEmails: readonly string[]): Promise<void>;
  /** Puts another key in the place of the account's (RFC 8555 §7.3.5). */
  changeKey(signer: AcmeSigner, next: AcmeSigner): Promise<void>;
  newOrder(signer: AcmeSigner, order: NewOrder): Promise<Resource<AcmeOrder> & { readonly url: string }>;
  getOrder(signer: AcmeSigner, url: string): Promise<Resource<AcmeOrder>>;
  /** URLs of the account's orders; undefined for a CA that does not list them. */
  listOrders(signer: AcmeSigner): Promise<readonly string[] | undefined>;
  getAuthorization(signer: AcmeSigner, url: string): Promise<Resource<AcmeAuthorization>>;
  /** Asks the CA to look at a challenge. */
  answerChallenge(signer: AcmeSigner, url: string): Promise<void>;
  finalize(signer: AcmeSigner, url: string, csrDer: Uint8Array): Promise<Resource<AcmeOrder>>;
  /** PEM of the chains that the CA offers, its own choice first. */
  downloadChains(signer: AcmeSigner, url: string, which: 'first' | 'all'): Promise<readonly string[]>;
  /** Undefined for a CA without renewal information (RFC 9773 §4). */
  renewalInfo(certificateId: string): Promise<Resource<AcmeRenewalInfo> | undefined>;
  /** Revokes a certificate by the account that ordered it (RFC 8555 §7.6). */
  revoke(signer: AcmeSigner, certificateDer: Uint8Array, reason: number): Promise<void>;
}
