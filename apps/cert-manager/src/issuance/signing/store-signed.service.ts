import { NotFound } from '@certloop/contracts';
import type { Database, Tx } from '@certloop/db';
import { type BatchEnd, batched, type Clock } from '@certloop/server';
import type { Caller } from '../../access/caller.js';
import type { CertificateRow } from '../../certificates/certificates.repository.js';
import { leafEndOf } from '../../certificates/in-use.js';
import {
  type CertificateEvents,
  type CertificateToStore,
  certificateFacts,
  type LockedSubject,
  lockSubjects,
  newCertificateOf,
  storeCertificates,
} from '../../certificates/store-certificates.service.js';
import { csrNotFound } from '../../csrs/csrs.repository.js';
import { type FqdnRow, fqdnNotFound } from '../../fqdns/fqdns.repository.js';
import { validityWarning } from '../../judging/public-validity.js';
import type { IssuedCertificate } from '../../providers/provider.js';
import { lockProviderForShare, type ProviderRow } from '../../providers/providers.repository.js';
import type { IssuanceSubject } from './find-obstacles.service.js';
import { deleteIssuances, type IssuanceRow } from './issuances.repository.js';
import { orRecordLost } from './lost-certificate.service.js';

/** A CSR that was signed, and what its provider answered. */
export interface Signed {
  readonly caller: Caller;
  readonly subject: IssuanceSubject;
  readonly issued: IssuedCertificate;
  /** Ends as the certificate is stored. */
  readonly issuance: Pick<IssuanceRow, 'id' | 'attempt'>;
}

export interface StoreDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly emit: CertificateEvents;
}

// few enough to be as quick as what a single one waits for the disk
const maxTogether = 16;

/**
 * Stores what was signed with its audit entry, those that come at the same time in one transaction; resolves with the
 * certificate as stored. If the transaction fails, each is stored in one of its own, so that none is held up by another.
 * Rejects with NotFound if the FQDN or the CSR was deleted in the meantime.
 */
export function createSignedStore(deps: StoreDeps): (signed: Signed) => Promise<CertificateRow> {
  return batched((all) => storeAll(deps, all), maxTogether);
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
    if (!byFqdn.has(signed.subject.fqdn.id)) byFqdn.set(signed.subject.fqdn.id, signed);
  }
  return [...byFqdn.values()];
}

/** As `createSignedStore`, for one; `end` is how its batch ended, if that was committed. */
export function storeOrRecordLost(deps: StoreDeps, signed: Signed, end?: SignedEnd): Promise<CertificateRow> {
  const { caller, subject, issued, issuance } = signed;
  const onLost = async (tx: Tx) => void (await deleteIssuances(tx, [issuance]));
  return orRecordLost(deps, { ...subject, caller, issued, onLost }, async () => {
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
  { db, clock, emit }: StoreDeps,
  all: readonly Signed[],
  { isAlone = false } = {},
): Promise<(SignedEnd | undefined)[]> {
  return db.transaction(async (tx) => {
    const subjects = await lockSubjects(
      tx,
      all.map(({ subject: { fqdn, csr } }) => ({ fqdnId: fqdn.id, csrId: csr.id })),
    );
    const found = all.map((signed, index) => requireSubject(signed, subjects[index]));
    const storable = found.flatMap((one) => (one instanceof NotFound ? [] : [one]));
    await deleteIssuances(
      tx,
      storable.map(({ issuance }) => issuance),
    );
    const now = clock.now();
    const items: CertificateToStore[] = [];
    for (const one of storable) items.push(itemOf(one, await findIssuer(tx, one, isAlone), now));
    const results = await storeCertificates(tx, items, { now, emit });
    const rows = new Map(storable.map((one, index) => [one, results[index]?.certificate]));
    return found.map((one) => (one instanceof NotFound ? one : rows.get(one)));
  });
}

/** What was signed, and its FQDN, locked. */
interface Storable extends Signed {
  readonly fqdn: FqdnRow;
}

function requireSubject(signed: Signed, locked: LockedSubject | undefined): Storable | NotFound {
  if (locked?.fqdn === undefined) return fqdnNotFound();
  if (!locked.hasCsr) return csrNotFound('the CSR was deleted while it was being signed');
  return { ...signed, fqdn: locked.fqdn };
}

/** The provider that the certificate names; none if it was deleted in the meantime, which fails a batch as a whole. */
async function findIssuer(
  tx: Tx,
  { subject: { provider } }: Storable,
  isAlone: boolean,
): Promise<ProviderRow | undefined> {
  return isAlone ? lockProviderForShare(tx, provider.id) : provider;
}

function itemOf(
  { caller, fqdn, subject: { csr, provider }, issued }: Storable,
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

/** The entry of the audit log on a certificate that a call of csr/sign got. */
export function signedAudit(
  subject: IssuanceSubject,
  certificate: CertificateRow,
  details: Readonly<Record<string, unknown>> = {},
) {
  const warning = validityWarning(subject.fqdn.fqdn, { ...certificate, expiresAt: leafEndOf(certificate) });
  const facts = certificateFacts(certificate, subject.provider);
  return signAudit(subject, { ...facts, ...(warning !== undefined && { warning }), ...details });
}

/** What the audit log keeps of a signature, or of its refusal. */
export function signAudit(
  { fqdn, csr }: Pick<IssuanceSubject, 'fqdn' | 'csr'>,
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
