import { NotFound } from '@certloop/contracts';
import type { Database, Tx } from '@certloop/db';
import { type BatchEnd, batched, type Clock } from '@certloop/server';
import type { Caller } from '../../access/caller.js';
import type { CertificateRow } from '../../certificates/certificates.repository.js';
import { leafEndOf } from '../../certificates/in-use.js';
import {
  type CertificateToStore,
  certificateFacts,
  type LockedSubject,
  lockSubjects,
  newCertificateOf,
  type OnCertificatesStored,
  storeCertificates,
} from '../../certificates/store-certificates.service.js';
import { csrNotFound } from '../../csrs/csrs.repository.js';
import { type FqdnRow, fqdnNotFound } from '../../fqdns/fqdns.repository.js';
import { validityWarning } from '../../judging/public-validity.js';
import type { IssuedCertificate } from '../../providers/provider.js';
import { lockProviderForShare, type ProviderRow } from '../../providers/providers.repository.js';
import type { Order } from './find-orders.service.js';
import { orRecordLost } from './lost-certificate.service.js';
import { deleteSigningRequests } from './signing-requests.repository.js';

/** A CSR that was signed, and what its provider answered. */
export interface Signed {
  readonly caller: Caller;
  readonly order: Order;
  readonly issued: IssuedCertificate;
  /** The row by which another process would ask the CA again. */
  readonly requestId: string;
}

export interface StoreDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly onCertificatesStored: OnCertificatesStored;
}

// few enough to be as quick as what a single one waits for the disk
const maxTogether = 16;

/**
 * Stores what was signed with its audit entry, those that come at the same time in one transaction; resolves with the
 * certificate as stored. It waits up to 20 ms for the certificates that a CA is at work on, `asking` in number. If the
 * transaction fails, each is stored in one of its own, so that none is held up by another. Rejects with NotFound if the
 * FQDN or the CSR was deleted in the meantime.
 */
export function createSignedStore(
  deps: StoreDeps,
  asking: () => number,
): (signed: Signed) => Promise<CertificateRow> {
  // longer than a CA needs for the others that were recorded in the same transaction
  return batched((all) => storeAll(deps, all), maxTogether, { ms: 20, expected: (come) => come + asking() });
}

async function storeAll(deps: StoreDeps, all: readonly Signed[]): Promise<BatchEnd<CertificateRow>[]> {
  const firsts = firstsOf(all);
  const ends = await storeSigned(deps, firsts).catch(() => undefined);
  const endOf = new Map(ends?.map((end, index) => [firsts[index], end]));
  return Promise.allSettled(all.map((signed) => storeOrRecordLost(deps, signed, endOf.get(signed))));
}

/** The first one for each FQDN. */
function firstsOf(all: readonly Signed[]): Signed[] {
  const byFqdn = new Map<string, Signed>();
  for (const signed of all) {
    if (!byFqdn.has(signed.order.fqdn.id)) byFqdn.set(signed.order.fqdn.id, signed);
  }
  return [...byFqdn.values()];
}

/** As `createSignedStore`, for one; `end` is how its batch ended, if that was committed. */
export function storeOrRecordLost(deps: StoreDeps, signed: Signed, end?: SignedEnd): Promise<CertificateRow> {
  const { caller, order, issued, requestId } = signed;
  const onLost = (tx: Tx) => deleteSigningRequests(tx, [requestId]);
  return orRecordLost(deps, { ...order, caller, issued, onLost }, async () => {
    const [stored] = end === undefined ? await storeSigned(deps, [signed], { isAlone: true }) : [end];
    if (stored === undefined) throw new Error('no row for the certificate');
    if (stored instanceof NotFound) throw stored;
    return stored;
  });
}

/** The certificate as stored, just now or before; or what was deleted in the meantime. */
type SignedEnd = CertificateRow | NotFound;

/** Stores what was signed in one transaction; no FQDN comes twice. */
function storeSigned(
  { db, clock, onCertificatesStored }: StoreDeps,
  all: readonly Signed[],
  { isAlone = false } = {},
): Promise<(SignedEnd | undefined)[]> {
  return db.transaction(async (tx) => {
    const subjects = await lockSubjects(
      tx,
      all.map(({ order: { fqdn, csr } }) => ({ fqdnId: fqdn.id, csrId: csr.id })),
    );
    const found = all.map((signed, index) => requireSubject(signed, subjects[index]));
    const storable = found.flatMap((one) => (one instanceof NotFound ? [] : [one]));
    await deleteSigningRequests(
      tx,
      storable.map(({ requestId }) => requestId),
    );
    const now = clock.now();
    const items: CertificateToStore[] = [];
    for (const one of storable) items.push(itemOf(one, await findIssuer(tx, one, isAlone), now));
    const results = await storeCertificates(tx, items, { now, onCertificatesStored });
    const rows = new Map(storable.map((one, index) => [one, results[index]?.certificate]));
    return found.map((one) => (one instanceof NotFound ? one : rows.get(one)));
  });
}

/** What was signed, and its FQDN, locked. */
interface Storable extends Signed {
  readonly fqdn: FqdnRow;
}

function requireSubject(signed: Signed, subject: LockedSubject | undefined): Storable | NotFound {
  if (subject?.fqdn === undefined) return fqdnNotFound();
  if (!subject.hasCsr) return csrNotFound('the CSR was deleted while it was being signed');
  return { ...signed, fqdn: subject.fqdn };
}

/** The provider that the certificate names; none if it was deleted in the meantime, which fails a batch as a whole. */
async function findIssuer(
  tx: Tx,
  { order: { provider } }: Storable,
  isAlone: boolean,
): Promise<ProviderRow | undefined> {
  return isAlone ? lockProviderForShare(tx, provider.id) : provider;
}

function itemOf(
  { caller, fqdn, order: { csr, provider }, issued }: Storable,
  issuer: ProviderRow | undefined,
  now: Date,
): CertificateToStore {
  const origin = { fqdnId: fqdn.id, csrId: csr.id, providerId: issuer?.id ?? null };
  const auditOf = (row: CertificateRow) => signedAudit({ fqdn, csr, provider }, row);
  return {
    caller,
    fqdn,
    provider: issuer,
    certificate: newCertificateOf({ ...origin, issued, now }),
    auditOf,
  };
}

function signedAudit(order: Pick<Order, 'fqdn' | 'csr' | 'provider'>, certificate: CertificateRow) {
  const warning = validityWarning(order.fqdn.fqdn, { ...certificate, expiresAt: leafEndOf(certificate) });
  const facts = certificateFacts(certificate, order.provider);
  return signAudit(order, { ...facts, ...(warning !== undefined && { warning }) });
}

/** What the audit log keeps of a signature, or of its refusal. */
export function signAudit(
  { fqdn, csr }: Pick<Order, 'fqdn' | 'csr'>,
  details: Readonly<Record<string, unknown>>,
) {
  return {
    action: 'csr.sign' as const,
    resourceType: 'csr',
    resourceId: csr.id,
    spaceId: fqdn.spaceId,
    details: { fqdn: fqdn.fqdn, fqdnId: fqdn.id, ...details },
  };
}
