import { column, placeholders, querySql, type Tx } from '@certloop/db';
import type { KnownFqdn } from '../rules/order-fqdn.js';

const columns = {
  id: column.uuid(),
  fqdn: column.word(253),
  isHeldByPeople: column.boolean(),
};

const isHeldByPeople = `(exists (select 1 from csrs c where c.fqdn_id = f.id and c.acme_client_id is null)
  or exists (select 1 from certificates t where t.fqdn_id = f.id and t.acme_client_id is null))`;

/** FQDNs of a space that have one of the names, of which at least one is given, or the id. */
export function listKnownFqdns(
  tx: Tx,
  spaceId: string,
  { names, id }: { readonly names: readonly string[]; readonly id: string | undefined },
): Promise<KnownFqdn[]> {
  const text = `select f.id, f.fqdn, ${isHeldByPeople} as is_held_by_people from fqdns f
    where f.space_id = $1 and (f.fqdn in (${placeholders(names.length, 3)}) or f.id = $2)`;
  return querySql<KnownFqdn>(tx, columns, text, [spaceId, id ?? null, ...names]);
}
