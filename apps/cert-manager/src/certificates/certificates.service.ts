import type { Database } from '@certloop/db';
import type { Caller } from '../access/caller.js';
import { requireLevel } from '../access/permissions.js';
import { getFqdn } from '../fqdns/fqdns.repository.js';
import { type CertificateRow, listCertificates } from './certificates.repository.js';

export interface CertificatesDeps {
  readonly db: Database;
}

/** Certificates of an FQDN, oldest first. Throws NotFound when the space or the FQDN is not there to be read. */
export async function listCertificatesOf(
  { db }: CertificatesDeps,
  caller: Caller,
  { spaceId, fqdnId }: { readonly spaceId: string; readonly fqdnId: string },
): Promise<CertificateRow[]> {
  requireLevel(caller, spaceId, 'READ');
  return db.read(async (tx) => {
    const { id } = await getFqdn(tx, spaceId, fqdnId);
    return listCertificates(tx, id);
  });
}
