import { type CertificateFormat, NotFound } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import type { Caller } from '../../access/caller.js';
import { requireLevel } from '../../access/permissions.js';
import { recordAudit } from '../../audit/audit.service.js';
import type { DbDeps } from '../../db-deps.js';
import { getFqdn } from '../../fqdns/fqdns.repository.js';
import type { FqdnPlace } from '../../fqdns/fqdns.service.js';
import { type CertificateRow, certificateNotFound, getCertificate } from '../certificates.repository.js';
import { chainEndOf } from '../in-use.js';
import { findNewestCertificate } from '../newest-certificates.repository.js';
import { type CertificateFile, certificateFile, isKnown } from './certificate-file.js';

export interface WantedFile extends FqdnPlace {
  /** The newest one of the FQDN when absent. */
  readonly certId?: string | undefined;
  readonly format: CertificateFormat;
}

export interface DeliveredFile {
  readonly file: CertificateFile;
  readonly certificate: Pick<CertificateRow, 'id' | 'createdAt' | 'expiresAt' | 'leafExpiresAt'>;
  /** False when the caller has the file already; then nothing is noted in the audit log. */
  readonly isNews: boolean;
}

/**
 * A certificate as a file, for anyone who may read its space. Throws NotFound, with the code `no_chain` where the chain of
 * a certificate without intermediates is asked for.
 */
export async function deliverCertificate(
  { db, clock }: DbDeps,
  caller: Caller,
  wanted: WantedFile,
): Promise<DeliveredFile> {
  const { spaceId, fqdnId, format } = wanted;
  requireLevel(caller, spaceId, 'READ');
  const { certificate, fqdn } = await db.read(async (tx) => {
    const { id, fqdn } = await getFqdn(tx, spaceId, fqdnId);
    return { fqdn, certificate: await wantedCertificate(tx, id, wanted) };
  });
  const file = certificateFile({ ...certificate, fqdn, chainEnd: chainEndOf(certificate) }, format);
  if (file === undefined) throw noChain();
  if (isKnown(caller.ifNoneMatch, file.etag)) return { file, certificate, isNews: false };
  const entry = {
    action: 'certificate.download',
    resourceType: 'certificate',
    resourceId: certificate.id,
    spaceId,
    details: { fqdn, serial: certificate.serialNumber, format },
  } as const;
  await db.transaction((tx) => recordAudit(tx, caller, entry, clock.now()));
  return { file, certificate, isNews: true };
}

async function wantedCertificate(tx: Tx, fqdnId: string, { certId }: WantedFile): Promise<CertificateRow> {
  if (certId !== undefined) return getCertificate(tx, fqdnId, certId);
  const newest = await findNewestCertificate(tx, fqdnId);
  if (newest === undefined) throw certificateNotFound();
  return newest;
}

function noChain(): NotFound {
  return new NotFound('the certificate was stored without intermediates: download it with format=leaf', {
    code: 'no_chain',
    title: 'No chain',
  });
}
