import { AcmeProblem, acmeAccountSchema, UpstreamFailed } from '@certloop/contracts';
import { exportJwk, macJws } from '@certloop/crypto';
import type { z } from 'zod';
import type { AcmeReply } from './acme-http.client.js';
import type { AcmeClient, AcmeSigner, ExternalAccount } from './acme-operations.js';
import { addressOf, orderUrls, parseResource } from './resource-reading.js';
import { innerJws, type SignedRequests } from './signed-request.client.js';

type AccountCall = 'newAccount' | 'findAccount' | 'updateContact' | 'changeKey' | 'listOrders';

/** RFC 8555 §7.3 and §7.1.2.1. */
export function accountCalls(requests: SignedRequests): Pick<AcmeClient, AccountCall> {
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
  };
}

export async function readResource<S extends z.ZodType>(schema: S, reply: Promise<AcmeReply>, what: string) {
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
