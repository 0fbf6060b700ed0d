import type { Database, Tx } from '@certloop/db';
import type { Caller } from '../access/caller.js';
import { requireLevel } from '../access/permissions.js';
import { findLastAct } from '../audit/audit.repository.js';
import { getFqdn } from '../fqdns/fqdns.repository.js';
import type { FqdnPlace } from '../fqdns/fqdns.service.js';
import { findNeighbors } from './certificate-lists.repository.js';
import { type CertificateRow, getCertificate } from './certificates.repository.js';

export interface ShowCertificateDeps {
  readonly db: Database;
  /** Id of the request that brought a certificate, as long as it is stored. */
  readonly findJobId: (
    tx: Tx,
    certificate: Pick<CertificateRow, 'id' | 'fqdnId'>,
  ) => Promise<string | undefined>;
}

/** A certificate with what is stored about it elsewhere. */
export interface CertificateFacts {
  readonly certificate: CertificateRow;
  /** Ids of the certificates of the same FQDN stored just before and just after it. */
  readonly neighbors: { readonly before?: string; readonly after?: string };
  readonly jobId: string | undefined;
  readonly lastDownload: { readonly timestamp: Date; readonly username: string } | undefined;
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
