import {
  acmeAuthorizationSchema,
  acmeOrderSchema,
  acmeRenewalInfoSchema,
  UpstreamFailed,
} from '@certloop/contracts';
import { accountCalls, readResource } from './account-calls.client.js';
import type { AcmeClient } from './acme-operations.js';
import { addressOf } from './resource-reading.js';
import type { SignedRequests } from './signed-request.client.js';

export function createAcmeClient(requests: SignedRequests): AcmeClient {
  return {
    directory: requests.directory,
    fetchNonce: requests.fetchNonce,
    ...accountCalls(requests),
    ...orderCalls(requests),
    ...certificateCalls(requests),
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
      if (url === undefined) throw new UpstreamFailed('the CA does not support revocation');
      const certificate = Buffer.from(certificateDer).toString('base64url');
      await requests.post(url, signer, { certificate, reason });
    },
  };
}

// No CA has as many roots; the bound keeps a hostile list short.
const maxChains = 8;
