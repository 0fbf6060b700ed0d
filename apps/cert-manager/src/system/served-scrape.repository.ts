import { column, querySql, type Tx } from '@certloop/db';
import { maxSpaces, type SpaceCount } from './expiry-scrape.repository.js';

/** By space, the FQDNs whose check fails for what their servers serve, among 10 000 FQDNs that have a problem. */
export function listDrifted(tx: Tx): Promise<SpaceCount[]> {
  const text = `select v.space_id, s.name as space, count(*) as count
    from (select id from fqdn_standings where problem is not null limit 10000) p
    join served_fqdns v on v.id = p.id join spaces s on s.id = v.space_id
    where v.fault is not null
    group by v.space_id, s.name order by count(*) desc limit ${maxSpaces}`;
  return querySql(tx, { spaceId: column.uuid(), space: column.text(), count: column.bigint() }, text);
}
