import { createHash, randomUUID } from 'node:crypto';
import type { Fqdn } from '@certloop/contracts';
import { builtInCaller, type Caller, internalOrigin } from '../../../src/access/caller.js';
import type { CertificateRow } from '../../../src/certificates/certificates.repository.js';
import { listLastCertificates } from '../../../src/certificates/newest-certificates.repository.js';
import { csrRulesOf } from '../../../src/csrs/csr-findings.js';
import { type ValidatedCsr, validateCsr } from '../../../src/csrs/validate-csr.service.js';
import { getFqdn } from '../../../src/fqdns/fqdns.repository.js';
import {
  type BegunClientIssuance,
  beginClientIssuance,
  type FinalizedOrder,
} from '../../../src/issuance/clients/begin-client-issuance.service.js';
import { type IssuanceRow, issuances } from '../../../src/issuance/signing/issuances.repository.js';
import { getProvider } from '../../../src/providers/providers.repository.js';
import type { TestApp } from '../app.js';
import { newCsr } from '../signing.js';

/** An ACME client with one account, as it finalizes orders. */
export interface OrderingClient {
  readonly clientId: string;
  readonly accountId: string;
  readonly caller: Caller;
}

export function newOrderingClient(name = 'web-7'): OrderingClient {
  const origin = { ...internalOrigin('finalize'), ipAddress: '10.0.0.7', userAgent: 'certbot/2.1' };
  const caller = { ...builtInCaller('cli', origin), username: `acme:${name}` };
  return { clientId: randomUUID(), accountId: randomUUID(), caller };
}

/** The part of a CSR that is stored, judged as an upload is. */
export async function judgedCsr(app: TestApp, fqdn: Fqdn, pem: string): Promise<ValidatedCsr> {
  const { spaceId, id: fqdnId } = fqdn;
  const row = await app.database.read((tx) => getFqdn(tx, spaceId, fqdnId));
  const upload = { spaceId, fqdnId, file: Buffer.from(pem), stated: fqdn };
  return validateCsr(upload, row, csrRulesOf(undefined, fqdn.fqdn));
}

/** An order to finalize; the names of the FQDN, a CSR with a key of its own and a lineage of keys `EC` if absent. */
export interface OrderToFinalize {
  readonly client: OrderingClient;
  readonly fqdn: Fqdn;
  readonly providerId: string;
  readonly csrPem?: string;
  readonly keyKind?: string;
}

/** Finalizes an order of a client, as the front does; nothing works on its issuance yet. */
export async function finalizeOrder(
  app: TestApp,
  { client, fqdn, providerId, csrPem, keyKind = 'EC' }: OrderToFinalize,
): Promise<BegunClientIssuance & { readonly orderId: string }> {
  const { caller, clientId, accountId } = client;
  const csr = await judgedCsr(app, fqdn, csrPem ?? (await newCsr(fqdn.fqdn)));
  const parts = [clientId, accountId, fqdn.fqdn, keyKind];
  const lineage = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  const order: FinalizedOrder = { id: randomUUID(), clientId, accountId, lineage };
  const begun = await app.database.transaction(async (tx) => {
    const provider = await getProvider(tx, providerId);
    return beginClientIssuance(tx, app, { caller, order, fqdn, provider, csr });
  });
  return { ...begun, orderId: order.id };
}

/** Issuances of orders that are stored, the oldest first. */
export function clientIssuances(app: TestApp): Promise<IssuanceRow[]> {
  return app.database.read((tx) =>
    tx.find(issuances, { where: { cause: 'client' }, order: { createdAt: 'ASC', id: 'ASC' } }),
  );
}

/** Certificates of the FQDN as they are stored, the oldest first. */
export function storedCertificates(app: TestApp, fqdn: Pick<Fqdn, 'id'>): Promise<CertificateRow[]> {
  return app.database.read((tx) => listLastCertificates(tx, fqdn.id, 100));
}
