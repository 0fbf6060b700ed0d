import type { Database } from '@certloop/db';
import type { Caller } from '../access/caller.js';
import type { ListPage, ListWindow } from '../access/list-page.js';
import { requireLevel } from '../access/permissions.js';
import { readList } from '../access/read-list.service.js';
import { getFqdn } from '../fqdns/fqdns.repository.js';
import { readCertificatePage } from './certificate-list.repository.js';
import type { CertificateRow } from './certificates.repository.js';

export interface CertificatesDeps {
  readonly db: Database;
}

/** Certificates of an FQDN, oldest first. Throws NotFound when the space or the FQDN is not there to be read. */
export async function listCertificatesOf(
  { db }: CertificatesDeps,
  caller: Caller,
  {
    spaceId,
    fqdnId,
    window,
  }: { readonly spaceId: string; readonly fqdnId: string; readonly window: ListWindow },
): Promise<ListPage<CertificateRow>> {
  requireLevel(caller, spaceId, 'READ');
  return readList(db, window, async (tx, part) => {
    const { id } = await getFqdn(tx, spaceId, fqdnId);
    return readCertificatePage(tx, id, part);
  });
}
