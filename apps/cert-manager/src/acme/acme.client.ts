import {
  type AcmeAccount,
  type AcmeAuthorization,
  type AcmeIdentifier,
  type AcmeOrder,
  AcmeProblem,
  type AcmeRenewalInfo,
  acmeAccountSchema,
  acmeAuthorizationSchema,
  acmeOrderSchema,
  acmeRenewalInfoSchema,
  UpstreamFailed,
} from '@certloop/contracts';
import { exportJwk, macJws } from '@certloop/crypto';
import type { z } from 'zod';
import type { AcmeDirectory } from './directory.js';
import { addressOf, orderUrls, parseResource } from './resource-reading.js';
import { type AcmeReply, type AcmeSigner, innerJws, type SignedRequests } from './signed-request.client.js';

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
  /** Certificate that the new one takes the place of (RFC 9773 §5). */
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
  /** Has the CA hand out a nonce. */
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

export function createAcmeClient(requests: SignedRequests): AcmeClient {
  return {
    directory: requests.directory,
    fetchNonce: requests.fetchNonce,
    ...accountCalls(requests),
    ...orderCalls(requests),
    ...certificateCalls(requests),
  };
}

type AccountCall = 'newAccount' | 'findAccount' | 'updateContact' | 'changeKey' | 'listOrders';

/** RFC 8555 §7.3 and §7.1.2.1. */
function accountCalls(requests: SignedRequests): Pick<AcmeClient, AccountCall> {
  return {
    newAccount: async (signer, { contactEmails, eab }) => {
      const { newAccount: url } = await requests.directory();
      const payload = {
        termsOfServiceAgreed: true,
        ...contactOf(contactEmails),
        ...(eab !== undefined && { externalAccountBinding: binding(signer, url, eab) }),
      };
      const reply = requests.post(url, keyOnly(signer), payload);
      const { body, location } = await readResource(acmeAccountSchema, reply, 'account');
      return { url: addressOf(location, 'account'), account: body };
    },
    findAccount: async (signer) => {
      const { newAccount: url } = await requests.directory();
      try {
        const { location } = await requests.post(url, keyOnly(signer), { onlyReturnExisting: true });
        return location;
      } catch (error) {
        if (error instanceof AcmeProblem && error.type === 'accountDoesNotExist') return undefined;
        throw error;
      }
    },
    updateContact: async (signer, contactEmails) => {
      const contact = contactEmails.map((email) => `mailto:${email}`);
      await requests.post(addressOf(signer.accountUrl, 'account'), signer, { contact });
    },
    changeKey: async (signer, next) => {
      const { keyChange: url } = await requests.directory();
      if (url === undefined) throw new UpstreamFailed('the CA changes no account keys');
      const payload = { account: signer.accountUrl, oldKey: exportJwk(signer.privateKey) };
      await requests.post(url, signer, await innerJws(next, url, payload));
    },
    listOrders: async (signer) => {
      const url = addressOf(signer.accountUrl, 'account');
      const { body } = await readResource(acmeAccountSchema, requests.post(url, signer, {}), 'account');
      if (body.orders === undefined) return undefined;
      return listPages(requests, signer, body.orders);
    },
  };
}

type OrderCall = 'newOrder' | 'getOrder' | 'getAuthorization' | 'answerChallenge' | 'finalize';

/** RFC 8555 §7.4 and §7.5. */
function orderCalls(requests: SignedRequests): Pick<AcmeClient, OrderCall> {
  return {
    newOrder: async (signer, { identifiers, profile, replaces }) => {
      const { newOrder: url } = await requests.directory();
      const payload = {
        identifiers,
        ...(profile !== undefined && { profile }),
        ...(replaces !== undefined && { replaces }),
      };
      const reply = await readResource(acmeOrderSchema, requests.post(url, signer, payload), 'order');
      return { ...reply, url: addressOf(reply.location, 'order') };
    },
    getOrder: (signer, url) => readResource(acmeOrderSchema, requests.post(url, signer), 'order'),
    getAuthorization: (signer, url) =>
      readResource(acmeAuthorizationSchema, requests.post(url, signer), 'authorization'),
    answerChallenge: async (signer, url) => {
      await requests.post(url, signer, {});
    },
    finalize: (signer, url, csrDer) => {
      const csr = Buffer.from(csrDer).toString('base64url');
      return readResource(acmeOrderSchema, requests.post(url, signer, { csr }), 'order');
    },
  };
}

type CertificateCall = 'downloadChains' | 'renewalInfo' | 'revoke';

/** RFC 8555 §7.4.2 and §7.6, RFC 9773. */
function certificateCalls(requests: SignedRequests): Pick<AcmeClient, CertificateCall> {
  return {
    downloadChains: async (signer, url, which) => {
      const accept = 'application/pem-certificate-chain';
      const { text, links } = await requests.post(url, signer, undefined, accept);
      const chains = [text];
      if (which === 'first') return chains;
      for (const alternate of links('alternate').slice(0, maxChains)) {
        chains.push((await requests.post(alternate, signer, undefined, accept)).text);
      }
      return chains;
    },
    renewalInfo: async (certificateId) => {
      const { renewalInfo } = await requests.directory();
      if (renewalInfo === undefined) return undefined;
      const url = `${renewalInfo.replace(/\/$/, '')}/${certificateId}`;
      return readResource(acmeRenewalInfoSchema, requests.get(url), 'renewal information');
    },
    revoke: async (signer, certificateDer, reason) => {
      const { revokeCert: url } = await requests.directory();
      if (url === undefined) throw new UpstreamFailed('the CA revokes no certificates');
      const certificate = Buffer.from(certificateDer).toString('base64url');
      await requests.post(url, signer, { certificate, reason });
    },
  };
}

async function readResource<S extends z.ZodType>(schema: S, reply: Promise<AcmeReply>, what: string) {
  const { text, retryAt, location } = await reply;
  return { body: parseResource(schema, text, what), retryAt, location };
}

// No CA has as many roots; the bound keeps a hostile list short.
const maxChains = 8;

/** A request about a key's own account is signed with the key, not by the account. */
function keyOnly({ privateKey }: AcmeSigner): AcmeSigner {
  return { privateKey };
}

function contactOf(contactEmails: readonly string[]) {
  if (contactEmails.length === 0) return {};
  return { contact: contactEmails.map((email) => `mailto:${email}`) };
}

function binding({ privateKey }: AcmeSigner, url: string, { kid, hmacKey }: ExternalAccount) {
  const secret = Buffer.from(hmacKey, 'base64url');
  return macJws(secret, { kid, url }, JSON.stringify(exportJwk(privateKey)));
}

// A list may be years long; callers need its recent part.
const maxPages = 20;

async function listPages(requests: SignedRequests, signer: AcmeSigner, first: string): Promise<string[]> {
  const urls: string[] = [];
  let page: string | undefined = first;
  for (let count = 0; page !== undefined && count < maxPages; count += 1) {
    const { text, links } = await requests.post(page, signer);
    urls.push(...orderUrls(text));
    [page] = links('next');
  }
  return urls;
}
