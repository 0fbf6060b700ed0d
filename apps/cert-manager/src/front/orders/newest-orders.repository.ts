import { querySql, type Tx } from '@certloop/db';
import { fqdns } from '../../fqdns/fqdns.repository.js';

const { id, spaceId } = fqdns.columns;

/** FQDNs below which the newest certificates of an account, or of a client, are stored, as far as they exist. */
export function listNewestFqdns(
  tx: Tx,
  scope: { readonly accountId: string } | { readonly clientId: string },
): Promise<{ readonly id: string; readonly spaceId: string }[]> {
  const [column, value] =
    'accountId' in scope ? ['account_id', scope.accountId] : ['client_id', scope.clientId];
  const text = `select distinct f.id, f.space_id from acme_server_orders o join fqdns f on f.id = o.fqdn_id
    where o.is_newest and o.${column} = $1`;
  return querySql(tx, { id, spaceId }, text, [value]);
}
