import type { Database, ListPage, Tx } from '@certloop/db';
import type { Caller } from '../access/caller.js';
import { requireLevel } from '../access/permissions.js';
import { findLastAct } from '../audit/audit.repository.js';
import { getFqdn } from '../fqdns/fqdns.repository.js';
import type { FqdnPlace } from '../fqdns/fqdns.service.js';
import { isShortPage, type StoredWindow } from '../fqdns/stored-order.repository.js';
import { findNeighbors, readCertificatePage } from './certificate-lists.repository.js';
import type { CertificateFacts } from './certificate-view.js';
import { type CertificateRow, getCertificate } from './certificates.repository.js';

/** Certificates of an FQDN in the order of their storing. Throws NotFound when the space or the FQDN is not there to be read. */
export async function listCertificatesOf(
  { db }: { readonly db: Database },
  caller: Caller,
  { spaceId, fqdnId, window }: FqdnPlace & { readonly window: StoredWindow },
): Promise<ListPage<CertificateRow>> {
  requireLevel(caller, spaceId, 'READ');
  const read = isShortPage(window) ? db.read : db.longRead;
  return read(async (tx) => {
    const { id } = await getFqdn(tx, spaceId, fqdnId);
    return readCertificatePage(tx, id, window);
  });
}

export interface ShowCertificateDeps {
  readonly db: Database;
  /** Id of the request that brought a certificate, as long as it is stored. */
  readonly findJobId: (
    tx: Tx,
    certificate: Pick<CertificateRow, 'id' | 'fqdnId'>,
  ) => Promise<string | undefined>;
}

/** Throws NotFound when the space, the FQDN or the certificate is not there to be read. */
export async function showCertificate(
  { db, findJobId }: ShowCertificateDeps,
  caller: Caller,
  { spaceId, fqdnId, certId }: FqdnPlace & { readonly certId: string },
): Promise<CertificateFacts> {
  requireLevel(caller, spaceId, 'READ');
  return db.read(async (tx) => {
    const { id } = await getFqdn(tx, spaceId, fqdnId);
    const certificate = await getCertificate(tx, id, certId);
    return {
      certificate,
      neighbors: await findNeighbors(tx, certificate),
      jobId: await findJobId(tx, certificate),
      lastDownload: await findLastAct(tx, certificate.id, 'certificate.download'),
    };
  });
}
