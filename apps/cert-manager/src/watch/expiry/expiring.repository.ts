import { column, querySql, type RowOf, type Tx } from '@certloop/db';
import { isAdoptedSql } from '../../statuses/renewal-owner.repository.js';

const columns = {
  id: column.uuid(),
  fqdnId: column.uuid(),
  spaceId: column.uuid(),
  fqdn: column.text(),
  serialNumber: column.text(),
  attentionAt: column.instant(),
  expiresAt: column.instant(),
  leafExpiresAt: column.instant().nullable(),
  /** Certificate that an event is about: that of the ACME client which is late, if one renews the FQDN. */
  lateId: column.uuid(),
  /** Whether what a server presents is adopted. */
  isAdopting: column.boolean(),
};

/** A certificate that has not expired, of an FQDN that needs people. */
export type ExpiringRow = RowOf<{ columns: typeof columns }>;

/**
 * Certificates that have not expired, of FQDNs that need people, by since when they do: those that no event is about yet.
 * The rule that decides whether one is made needs more facts.
 */
export function listExpiring(
  tx: Tx,
  after: { readonly attentionAt: Date; readonly fqdnId: string },
  now: Date,
  limit: number,
): Promise<ExpiringRow[]> {
  const late =
    "case when s.client = 'renews' then substr(s.lineages, 1, 36) else cast(c.id as varchar(36)) end";
  const known = `select 1 from events e where e.once_key = 'certificate.expiring:' || ${late}`;
  const text = `select c.id, c.fqdn_id, s.space_id, s.fqdn, s.attention_at, c.serial_number, c.expires_at,
      c.leaf_expires_at, ${late} as late_id, ${isAdoptedSql('s.id')} as is_adopting
    from fqdn_standings s join certificates c on c.id = s.certificate_id
    where (s.attention_at, s.id) > ($1, $2) and s.attention_at <= $3 and s.expires_at > $3 and not exists (${known})
    order by s.attention_at, s.id limit ${limit}`;
  return querySql<ExpiringRow>(tx, columns, text, [after.attentionAt, after.fqdnId, now]);
}
