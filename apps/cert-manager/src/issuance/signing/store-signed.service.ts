import type { Database, Tx } from '@certloop/db';
import { type BatchEnd, batched, type Clock } from '@certloop/server';
import type { Caller } from '../../access/caller.js';
import { recordAudit, recordAudits } from '../../audit/audit.service.js';
import type { CertificateRow } from '../../certificates/certificates.repository.js';
import {
  insertCertificates,
  type StoredCertificate,
} from '../../certificates/insert-certificates.repository.js';
import { csrNotFound, lockCsrForShare, lockCsrsForShare } from '../../csrs/csrs.repository.js';
import { type FqdnRow, lockFqdn, lockFqdns } from '../../fqdns/fqdns.repository.js';
import { validityWarning } from '../../judging/public-validity.js';
import type { IssuedCertificate } from '../../providers/provider.js';
import { lockProviderForShare } from '../../providers/providers.repository.js';
import { certificateFacts, certificateOf, storeIssued } from '../store-certificate.service.js';
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
  /** Makes what depends on the newest certificate of an FQDN follow it; the FQDN is locked. */
  readonly onCertificateStored: (
    tx: Tx,
    caller: Caller,
    fqdn: FqdnRow,
    newest?: CertificateRow,
  ) => Promise<void>;
  /** The same for several FQDNs, each once; their CSRs are there. */
  readonly onCertificatesStored: (tx: Tx, stored: readonly StoredCertificate[]) => Promise<void>;
}

// few enough to be as quick as what a single one waits for the disk
const maxTogether = 16;

/**
 * Stores what was signed with its audit entry, those that come at the same time in one transaction; resolves with the
 * certificate as stored. It waits up to 20 ms for the certificates that a CA is at work on, `asking` in number. Where
 * one transaction does not go, each is stored on its own, so that none is held up by another. Rejects with NotFound
 * when the FQDN or the CSR has gone meanwhile.
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
  const rows = await storeTogether(deps, firsts).catch(() => undefined);
  const stored = new Map(rows?.map((row, index) => [firsts[index], row]));
  return Promise.allSettled(all.map((signed) => stored.get(signed) ?? storeOrRecordLost(deps, signed)));
}

/** The first one for each FQDN. */
function firstsOf(all: readonly Signed[]): Signed[] {
  const byFqdn = new Map<string, Signed>();
  for (const signed of all) {
    if (!byFqdn.has(signed.order.fqdn.id)) byFqdn.set(signed.order.fqdn.id, signed);
  }
  return [...byFqdn.values()];
}

/** Rejects when any of them is to be stored in another way; no FQDN comes twice. */
async function storeTogether({ db, ...deps }: StoreDeps, all: readonly Signed[]): Promise<CertificateRow[]> {
  const ids = all.map(({ order }) => order.fqdn.id);
  return db.transaction(async (tx) => {
    const held = await lockSubjects(tx, all, ids);
    const now = deps.clock.now();
    const certificates = all.map(({ order, issued }) => certificateOf({ ...originOf(order), issued, now }));
    const stored = await insertCertificates(tx, certificates, now);
    const added = all.flatMap(({ caller, order: { csr, provider } }, index) => {
      const [fqdn, one] = [held.get(ids[index] ?? ''), stored[index]];
      return fqdn && one?.isNew ? [{ caller, csr, fqdn, certificate: one.certificate, provider }] : [];
    });
    await recordAudits(
      tx,
      added.map((one) => ({ caller: one.caller, entry: signedAudit(one, one.certificate) })),
      now,
    );
    await deleteSigningRequests(
      tx,
      all.map(({ requestId }) => requestId),
    );
    await deps.onCertificatesStored(tx, added);
    return stored.map(({ certificate }) => certificate);
  });
}

/** One of several is to be stored in another way. */
class CannotBatch extends Error {}

/** The FQDNs by their ids, and their CSRs, locked. Throws CannotBatch unless all are there. */
async function lockSubjects(
  tx: Tx,
  all: readonly Signed[],
  ids: readonly string[],
): Promise<ReadonlyMap<string, FqdnRow>> {
  const held = new Map((await lockFqdns(tx, ids)).map((fqdn) => [fqdn.id, fqdn]));
  const locked = await lockCsrsForShare(
    tx,
    all.map(({ order }) => order.csr.id),
  );
  if (held.size !== all.length || locked.length !== all.length) throw new CannotBatch();
  return held;
}

/** As `createSignedStore`, for one. What was stored before is returned. */
export function storeOrRecordLost(deps: StoreDeps, signed: Signed): Promise<CertificateRow> {
  const { caller, order, issued, requestId } = signed;
  const onLost = (tx: Tx) => deleteSigningRequests(tx, [requestId]);
  return orRecordLost(deps, { ...order, caller, issued, onLost }, () => storeAlone(deps, signed));
}

function storeAlone(
  { db, clock, onCertificateStored }: StoreDeps,
  { caller, order, issued, requestId }: Signed,
): Promise<CertificateRow> {
  const { csr, provider } = order;
  return db.transaction(async (tx) => {
    // The provider took its time: whom the certificate is for may be gone by now.
    const fqdn = await lockFqdn(tx, order.fqdn.spaceId, order.fqdn.id);
    if (!(await lockCsrForShare(tx, csr.id)))
      throw csrNotFound('the CSR was deleted while it was being signed');
    await deleteSigningRequests(tx, [requestId]);
    const now = clock.now();
    // a certificate of a provider that was deleted meanwhile names none
    const isThere = (await lockProviderForShare(tx, provider.id)) !== undefined;
    const origin = { ...originOf(order), ...(!isThere && { providerId: null }) };
    const { certificate: row, isNew } = await storeIssued(tx, { ...origin, issued, now });
    // another call for the same was given the same certificate, and has stored it with its entry
    if (!isNew) return row;
    await recordAudit(tx, caller, signedAudit({ fqdn, csr, provider }, row), now);
    await onCertificateStored(tx, caller, fqdn, row);
    return row;
  });
}

function originOf({ fqdn, csr, provider }: Order) {
  return { fqdnId: fqdn.id, csrId: csr.id, providerId: provider.id };
}

function signedAudit(order: Pick<Order, 'fqdn' | 'csr' | 'provider'>, certificate: CertificateRow) {
  const warning = validityWarning(order.fqdn.fqdn, certificate);
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
