import { column, querySql, type RowOf, type Tx } from '@certloop/db';

const columns = {
  name: column.word(253),
  since: column.instant(),
  holderSpaceId: column.uuid(),
  holderSpace: column.text(),
  holderFqdnId: column.uuid(),
  spaceId: column.uuid(),
  space: column.text(),
  fqdnId: column.uuid(),
};

/** An FQDN of a name that another space holds, with its own issued certificate. */
export type SharedNameRow = RowOf<{ columns: typeof columns }>;

/** FQDNs that were issued certificates for a name that another space holds, in the order of the names, at most `limit`. */
export function listSharedRows(tx: Tx, limit: number): Promise<SharedNameRow[]> {
  // the statuses have an index by name
  const text = `select h.name, h.since, h.space_id as holder_space_id, o.name as holder_space,
      h.fqdn_id as holder_fqdn_id, s.space_id, p.name as space, s.id as fqdn_id
    from name_holders h join fqdn_standings s on s.fqdn = h.name and s.space_id <> h.space_id
    join spaces o on o.id = h.space_id join spaces p on p.id = s.space_id
    where exists (select 1 from certificates c where c.fqdn_id = s.id and c.imported_at is null)
    order by h.name, s.id limit ${limit}`;
  return querySql<SharedNameRow>(tx, columns, text);
}
