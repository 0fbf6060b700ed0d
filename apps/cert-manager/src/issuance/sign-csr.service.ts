import { NotFound } from '@certloop/contracts';
import type { Database, Tx } from '@certloop/db';
import type { Clock } from '@certloop/server';
import type { Caller } from '../access/caller.js';
import { requireLevel } from '../access/permissions.js';
import { recordAudit } from '../audit/audit.service.js';
import {
  type CertificateRow,
  findIssuedCertificate,
  findNewestCertificate,
} from '../certificates/certificates.repository.js';
import { type CsrRow, findLatestCsr, keepCsr } from '../csrs/csrs.repository.js';
import { type FqdnRow, getFqdn, holdFqdn } from '../fqdns/fqdns.repository.js';
import type { ProviderOpener } from '../providers/open-provider.service.js';
import type { IssuedCertificate } from '../providers/provider.js';
import { getProvider, type ProviderRow } from '../providers/providers.repository.js';
import { validityWarning } from './public-validity.js';
import type { RequestDeps } from './request-certificate.service.js';
import { type SignedByOrder, signByOrder } from './sign-by-order.service.js';
import type { SignPlaces } from './sign-places.store.js';
import { wishName } from './signing-wish.js';
import { certificateFacts, insertIssued } from './store-certificate.service.js';

export interface IssuanceDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly opener: ProviderOpener;
}

export interface SignDeps extends RequestDeps {
  readonly signPlaces: SignPlaces;
  /** Makes what depends on the newest certificate of an FQDN follow it; the FQDN is held. */
  readonly onCertificateStored: (
    tx: Tx,
    caller: Caller,
    fqdn: FqdnRow,
    newest?: CertificateRow,
  ) => Promise<void>;
  /** Lets what watches the FQDN know that it got no certificate. */
  readonly onRequestFailed?: (tx: Tx, fqdnId: string, reason: string) => Promise<void>;
}

/** What is signed, and by whom. */
interface Order {
  readonly fqdn: FqdnRow;
  readonly csr: CsrRow;
  readonly provider: ProviderRow;
  readonly newestId: string | undefined;
}

/**
 * Has the newest CSR of an FQDN signed and stores the certificate; an order with a CA that takes longer than a
 * minute goes on after the answer. A provider that refuses or fails is
 * `success` false with its reason; nothing is stored then. Throws NotFound when the space, the FQDN, a CSR or
 * the provider is not there, also when it went while the provider was at work; InvalidInput when the provider is
 * disabled or lacks a part of its configuration. A provider that had signed for a call which died is asked for that
 * certificate by the name of the wish.
 */
export async function signCsr(
  deps: SignDeps,
  caller: Caller,
  input: { readonly spaceId: string; readonly fqdnId: string; readonly providerId: string },
): Promise<SignedByOrder> {
  requireLevel(caller, input.spaceId, 'READ_WRITE');
  // the place comes before the look at the newest certificate: whoever had the place before has stored his by then
  return deps.signPlaces.use(input.fqdnId, (place) => signAt(place, deps, caller, input));
}

async function signAt(
  place: number,
  deps: SignDeps,
  caller: Caller,
  input: { readonly spaceId: string; readonly fqdnId: string; readonly providerId: string },
): Promise<SignedByOrder> {
  const order = await deps.db.read((tx) => findOrder(tx, input));
  const provider = deps.opener.openForSigning(order.provider);
  if (order.provider.name === 'acme') return signByOrder(deps, caller, order);
  const { fqdn, csr, newestId } = order;
  const wish = wishName({ purpose: 'sign', fqdnId: fqdn.id, csrId: csr.id, newestId, place });
  const outcome = await provider.sign(csr.csrPem, undefined, wish);
  if (!outcome.isSigned) {
    await recordRefusal(deps, caller, order, outcome.reason);
    return { reply: { success: false, message: outcome.reason } };
  }
  const certificate = await storeCertificate(deps, caller, order, outcome);
  const warning = validityWarning(fqdn.fqdn, certificate);
  const signed = `signed by ${order.provider.name}, valid until ${certificate.expiresAt.toISOString()}`;
  const message = warning === undefined ? signed : `${signed}; it ${warning}`;
  return { reply: { success: true, message, certificate: certificate.pem } };
}

async function findOrder(
  tx: Tx,
  { spaceId, fqdnId, providerId }: { spaceId: string; fqdnId: string; providerId: string },
): Promise<Order> {
  const fqdn = await getFqdn(tx, spaceId, fqdnId);
  const csr = await findLatestCsr(tx, fqdn.id);
  if (csr === undefined) throw csrGone('no CSR is stored for this FQDN');
  const newestId = (await findNewestCertificate(tx, fqdn.id))?.id;
  return { fqdn, csr, provider: await getProvider(tx, providerId), newestId };
}

function storeCertificate(
  { db, clock, onCertificateStored }: SignDeps,
  caller: Caller,
  { fqdn: { spaceId, id }, csr, provider }: Order,
  issued: IssuedCertificate,
): Promise<CertificateRow> {
  return db.transaction(async (tx) => {
    // The provider took its time: whom the certificate is for may be gone by now.
    const fqdn = await holdFqdn(tx, spaceId, id);
    if (!(await keepCsr(tx, csr.id))) throw csrGone('the CSR was deleted while it was being signed');
    const now = clock.now();
    const origin = { fqdnId: id, csrId: csr.id, providerId: provider.id };
    // another process that was asked for the same at once may have been given the same certificate
    const stored = await findIssuedCertificate(tx, { ...origin, upstreamId: issued.upstreamId });
    if (stored !== undefined) return stored;
    const row = await insertIssued(tx, { ...origin, issued, now });
    const warning = validityWarning(fqdn.fqdn, row);
    const facts = { ...certificateFacts(row, provider), ...(warning !== undefined && { warning }) };
    await recordAudit(tx, caller, auditOf({ fqdn, csr }, facts), now);
    await onCertificateStored(tx, caller, fqdn, row.replacedAt === null ? row : undefined);
    return row;
  });
}

function recordRefusal(
  { db, clock, onRequestFailed }: SignDeps,
  caller: Caller,
  { fqdn, csr, provider }: Order,
  reason: string,
): Promise<void> {
  const details = { reason, provider: provider.name, providerId: provider.id };
  const entry = { ...auditOf({ fqdn, csr }, details), outcome: 'failure' as const };
  return db.transaction(async (tx) => {
    await recordAudit(tx, caller, entry, clock.now());
    await onRequestFailed?.(tx, fqdn.id, reason);
  });
}

function auditOf({ fqdn, csr }: Pick<Order, 'fqdn' | 'csr'>, details: Readonly<Record<string, unknown>>) {
  return {
    action: 'csr.sign' as const,
    resourceType: 'csr',
    resourceId: csr.id,
    spaceId: fqdn.spaceId,
    details: { fqdn: fqdn.fqdn, fqdnId: fqdn.id, ...details },
  };
}

function csrGone(message: string): NotFound {
  return new NotFound(message, { code: 'csr_not_found', title: 'CSR not found' });
}
