import { NotFound } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import { type BatchEnd, batched } from '@certloop/server';
import type { Caller } from '../../access/caller.js';
import type { AuditEntry } from '../../audit/audit-entry.js';
import type { CertificateRow } from '../../certificates/certificates.repository.js';
import {
  type CertificateEvents,
  type CertificateOfClient,
  lockSubjects,
  newCertificateOf,
  storeCertificates,
} from '../../certificates/store-certificates.service.js';
import type { CsrRow } from '../../csrs/csrs.repository.js';
import type { DbDeps } from '../../db-deps.js';
import { type FqdnRow, fqdnNotFound } from '../../fqdns/fqdns.repository.js';
import type { IssuedCertificate } from '../../providers/provider.js';
import { lockProviderForShare, type ProviderRow } from '../../providers/providers.repository.js';
import { orRecordLost } from './lost-certificate.service.js';

export interface StoreDeps extends DbDeps {
  readonly emit: CertificateEvents;
}

/** A certificate that a provider issued for a request. */
export interface IssuedFor {
  readonly caller: Caller;
  readonly fqdn: FqdnRow;
  /** Undefined when all were deleted in the meantime. */
  readonly csr: CsrRow | undefined;
  readonly provider: ProviderRow;
  readonly issued: IssuedCertificate;
  /** The ACME client that ordered it; absent for all others. */
  readonly ofClient?: CertificateOfClient;
}

/** How requests of a kind end with their certificates, in the transaction that stores these. */
export interface RequestEnds<Request extends IssuedFor> {
  /** Why nothing is stored if the CSR was deleted in the meantime; the certificate is stored even so if absent. */
  readonly csrGone?: () => NotFound;
  /** Ends requests before their certificates are stored. */
  readonly end?: (tx: Tx, requests: readonly Request[], now: Date) => Promise<void>;
  /** Ends a request whose certificate is stored; its FQDN is locked. */
  readonly endWith?: (
    tx: Tx,
    request: Request,
    fqdn: FqdnRow,
    stored: CertificateRow,
    now: Date,
  ) => Promise<void>;
  readonly auditOf: (request: Request, fqdn: FqdnRow, stored: CertificateRow) => AuditEntry;
  /** Follows a certificate that another request for the FQDN had stored before. */
  readonly onKnown?: (tx: Tx, fqdn: FqdnRow, request: Request, now: Date) => Promise<void>;
  /** Ends a request whose FQDN or CSR is gone, in the transaction of the audit entry that names the certificate. */
  readonly onLost: (tx: Tx, request: Request) => Promise<void>;
}

// few enough to be as quick as what a single one waits for the disk
const maxTogether = 16;

/**
 * A function that stores what was issued, ends its request and writes the audit entry, all or nothing; resolves with the
 * certificate as stored. Those that come at the same time share a transaction. If that fails, each is stored in one of its
 * own, so that none is held up by another. Rejects with NotFound if the FQDN or the CSR was deleted in the meantime, and as
 * the ends do.
 */
export function createIssuedStore<Request extends IssuedFor>(
  deps: StoreDeps,
  ends: RequestEnds<Request>,
): (request: Request) => Promise<CertificateRow> {
  const storeOrRecordLost = (request: Request, end: StoredEnd | undefined) => {
    const lost = { ...request, onLost: (tx: Tx) => ends.onLost(tx, request) };
    return orRecordLost(deps, lost, async () => {
      const [stored] = end === undefined ? await storeAll(deps, ends, [request], true) : [end];
      if (stored === undefined) throw new Error('no row for the certificate');
      if (stored instanceof NotFound) throw stored;
      return stored;
    });
  };
  return batched(async (requests): Promise<BatchEnd<CertificateRow>[]> => {
    const firsts = firstOfEachFqdn(requests);
    const isAlone = requests.length === 1;
    const stored = isAlone ? undefined : await storeAll(deps, ends, firsts, false).catch(() => undefined);
    const endOf = new Map(stored?.map((end, index) => [firsts[index], end]));
    return Promise.allSettled(requests.map((request) => storeOrRecordLost(request, endOf.get(request))));
  }, maxTogether);
}

function firstOfEachFqdn<Request extends IssuedFor>(requests: readonly Request[]): Request[] {
  const byFqdn = new Map<string, Request>();
  for (const request of requests) {
    if (!byFqdn.has(request.fqdn.id)) byFqdn.set(request.fqdn.id, request);
  }
  return [...byFqdn.values()];
}

/** The certificate as stored, just now or before; or what was deleted in the meantime. */
type StoredEnd = CertificateRow | NotFound;

/** Stores in one transaction what was issued; no FQDN comes twice. */
function storeAll<Request extends IssuedFor>(
  { db, clock, emit }: StoreDeps,
  ends: RequestEnds<Request>,
  requests: readonly Request[],
  isAlone: boolean,
): Promise<(StoredEnd | undefined)[]> {
  return db.transaction(async (tx) => {
    const subjects = await lockSubjects(
      tx,
      requests.map(({ fqdn, csr }) => ({ fqdnId: fqdn.id, csrId: csr?.id })),
    );
    const now = clock.now();
    const found = requests.map((request, index) => {
      const { fqdn, hasCsr = false } = subjects[index] ?? {};
      if (fqdn === undefined) return fqdnNotFound();
      if (!hasCsr && ends.csrGone !== undefined) return ends.csrGone();
      return { request, fqdn, csrId: (hasCsr && request.csr?.id) || null };
    });
    const storable = found.flatMap((one) => (one instanceof NotFound ? [] : [one]));
    await ends.end?.(
      tx,
      storable.map(({ request }) => request),
      now,
    );
    const items = [];
    for (const { request, fqdn, csrId } of storable) {
      const { caller, issued, ofClient } = request;
      // one that was deleted in the meantime fails a batch as a whole
      const provider = isAlone ? await lockProviderForShare(tx, request.provider.id) : request.provider;
      const origin = { fqdnId: fqdn.id, csrId, providerId: provider?.id ?? null };
      const auditOf = (row: CertificateRow) => ends.auditOf(request, fqdn, row);
      const endRequest = async (row: CertificateRow) => ends.endWith?.(tx, request, fqdn, row, now);
      items.push({
        caller,
        fqdn,
        provider,
        certificate: newCertificateOf({ ...origin, issued, now, ofClient }),
        auditOf,
        endRequest,
      });
    }
    const results = await storeCertificates(tx, items, { now, emit });
    const rows = new Map(storable.map((one, index) => [one, results[index]?.certificate]));
    for (const [index, { fqdn, request }] of storable.entries()) {
      if (results[index]?.isNew === false) await ends.onKnown?.(tx, fqdn, request, now);
    }
    return found.map((one) => (one instanceof NotFound ? one : rows.get(one)));
  });
}
