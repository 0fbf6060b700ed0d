import {
  AcmeProblem,
  acmeAccountSchema,
  acmeAuthorizationSchema,
  acmeOrderSchema,
  acmeRenewalInfoSchema,
  UpstreamFailed,
} from '@certloop/contracts';
import { exportJwk, macJws } from '@certloop/crypto';
import type { z } from 'zod';
import type { AcmeReply } from './acme-http.client.js';
import type { AcmeClient, AcmeSigner, ExternalAccount } from './acme-operations.js';
import { addressOf, orderUrls, parseResource } from './resource-reading.js';
import { innerJws, type SignedRequests } from './signed-request.client.js';

export function createAcmeClient(requests: SignedRequests): AcmeClient {
  return {
    directory: requests.directory,
    fetchNonce: requests.fetchNonce,
    ...accountCalls(requests),
    ...orderCalls(requests),
    ...certificateCalls(requests),
  };
}

/** RFC 8555 §7.4 and §7.5. */
function orderCalls(requests: SignedRequests) {
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
  } satisfies Partial<AcmeClient>;
}

/** RFC 8555 §7.4.2 and §7.6, RFC 9773. */
function certificateCalls(requests: SignedRequests) {
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
      if (url === undefined) throw new UpstreamFailed('the CA does not support revocation');
      const certificate = Buffer.from(certificateDer).toString('base64url');
      await requests.post(url, signer, { certificate, reason });
    },
  } satisfies Partial<AcmeClient>;
}

// No CA has as many roots; the bound keeps a hostile list short.
const maxChains = 8;

/** RFC 8555 §7.3 and §7.1.2.1. */
function accountCalls(requests: SignedRequests) {
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
        return addressOf(location, 'account');
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
      if (url === undefined) throw new UpstreamFailed('the CA does not support changing account keys');
      const payload = { account: signer.accountUrl, oldKey: exportJwk(signer.privateKey) };
      await requests.post(url, signer, await innerJws(next, url, payload));
    },
    listOrders: async (signer) => {
      const url = addressOf(signer.accountUrl, 'account');
      const { body } = await readResource(acmeAccountSchema, requests.post(url, signer, {}), 'account');
      if (body.orders === undefined) return undefined;
      return listPages(requests, signer, body.orders);
    },
  } satisfies Partial<AcmeClient>;
}

async function readResource<S extends z.ZodType>(schema: S, reply: Promise<AcmeReply>, what: string) {
  const { text, retryAt, location } = await reply;
  return { body: parseResource(schema, text, what), retryAt, location };
}

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
