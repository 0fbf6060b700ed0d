import type { Database, ListPage } from '@certloop/db';
import type { Caller } from '../access/caller.js';
import { requireLevel } from '../access/permissions.js';
import { getFqdn } from '../fqdns/fqdns.repository.js';
import { isShortPage, type StoredWindow } from '../fqdns/stored-order.repository.js';
import { readCertificatePage } from './certificate-lists.repository.js';
import type { CertificateRow } from './certificates.repository.js';

export interface CertificatesDeps {
  readonly db: Database;
}

/** Certificates of an FQDN in the order of their storing. Throws NotFound when the space or the FQDN is not there to be read. */
export async function listCertificatesOf(
  { db }: CertificatesDeps,
  caller: Caller,
  {
    spaceId,
    fqdnId,
    window,
  }: { readonly spaceId: string; readonly fqdnId: string; readonly window: StoredWindow },
): Promise<ListPage<CertificateRow>> {
  requireLevel(caller, spaceId, 'READ');
  const read = isShortPage(window) ? db.read : db.longRead;
  return read(async (tx) => {
    const { id } = await getFqdn(tx, spaceId, fqdnId);
    return readCertificatePage(tx, id, window);
  });
}
