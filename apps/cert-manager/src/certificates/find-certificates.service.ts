import { type certManagerContract, maxPageSize, type QueryOf } from '@certloop/contracts';
import { type Database, type ListPage, mapPage } from '@certloop/db';
import type { Caller } from '../access/caller.js';
import { readableSpaces } from '../access/permissions.js';
import { listFqdnsById } from '../fqdns/fqdns.repository.js';
import { invalidField } from '../http/problem.js';
import { listSpaceRows } from '../spaces/spaces.repository.js';
import type { ShownFind } from './certificate-view.js';
import { readFoundPage } from './found-certificates.repository.js';

/** By what certificates are looked for: at least one of the three. */
export type CertificateSearch = QueryOf<typeof certManagerContract.findCertificates>;

/**
 * Certificates of the spaces that the caller may read, those stored last first, at most 1000 at once. Throws InvalidInput
 * when nothing is looked for.
 */
export async function findCertificates(
  { db }: { readonly db: Database },
  caller: Caller,
  { id, serialNumber, sha256, limit = maxPageSize, cursor }: CertificateSearch,
): Promise<ListPage<ShownFind>> {
  if ((id ?? serialNumber ?? sha256) === undefined)
    throw invalidField('query.serialNumber', 'is required if sha256 and id are absent', 'required');
  const filter = { scope: readableSpaces(caller), id, serialNumber, sha256 };
  return db.read(async (tx) => {
    const page = await readFoundPage(tx, filter, { limit, cursor });
    const fqdnIds = [...new Set(page.rows.map(({ fqdnId }) => fqdnId))];
    const fqdns = fqdnIds.length === 0 ? [] : await listFqdnsById(tx, fqdnIds);
    const fqdnById = new Map(fqdns.map((fqdn) => [fqdn.id, fqdn]));
    const spaces = await listSpaceRows(tx, [...new Set(fqdns.map(({ spaceId }) => spaceId))]);
    const spaceNames = new Map(spaces.map(({ id, name }) => [id, name]));
    return mapPage(page, (certificate) => {
      const { fqdn = '', spaceId = '' } = fqdnById.get(certificate.fqdnId) ?? {};
      return { certificate, fqdn, spaceId, spaceName: spaceNames.get(spaceId) ?? '' };
    });
  });
}
