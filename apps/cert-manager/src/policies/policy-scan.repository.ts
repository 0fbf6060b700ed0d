import { column, querySql, type RowOf, type Tx } from '@certloop/db';
import { isNewest } from '../certificates/in-use.js';
import { isUploaded } from '../csrs/csrs.repository.js';

const scanned = {
  id: column.uuid(),
  spaceId: column.uuid(),
  fqdn: column.word(253),
  /** Whom requests ask, where the FQDN names it. */
  providerId: column.uuid().nullable(),
  /** Who issued the newest certificate, and is asked for the next one. */
  issuedBy: column.uuid().nullable(),
  /** The newest CSR. */
  csrPem: column.text().nullable(),
  description: column.text().nullable(),
};

/** Facts of an FQDN to which a policy applies. */
export type ScannedFqdn = RowOf<{ columns: typeof scanned }>;

/** FQDNs of a space in the order of their names: those after `last`, at most `limit`. */
export function scanFqdns(
  tx: Tx,
  { spaceId, last, limit }: { readonly spaceId: string; readonly last: string; readonly limit: number },
): Promise<ScannedFqdn[]> {
  const text = `select f.id, f.space_id, f.fqdn, f.provider_id, c.provider_id as issued_by, r.csr_pem, r.description
    from fqdns f
    left join csrs r on r.id = (
      select l.id from csrs l where l.fqdn_id = f.id and l.${isUploaded} order by l.position desc limit 1)
    left join certificates c on c.fqdn_id = f.id and c.${isNewest}
    where f.space_id = $1 and f.fqdn > $2 order by f.fqdn limit ${limit}`;
  return querySql<ScannedFqdn>(tx, scanned, text, [spaceId, last]);
}
