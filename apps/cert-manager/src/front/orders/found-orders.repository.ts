import { column, findRow, querySql, type SqlValue, type Tx } from '@certloop/db';
import { acmeServerOrders, type ServerOrderRow } from './server-orders.repository.js';

const { columns } = acmeServerOrders;

function firstOrder(tx: Tx, text: string, values: readonly SqlValue[]): Promise<ServerOrderRow | undefined> {
  return querySql<ServerOrderRow>(tx, columns, text, values).then(([row]) => row);
}

/**
 * Orders of an account that are not invalid, oldest first, from the one of the cursor on; undefined if the account has no such
 * order.
 */
export async function listAccountOrders(
  tx: Tx,
  accountId: string,
  { cursor, max, now }: { readonly cursor: string | undefined; readonly max: number; readonly now: Date },
): Promise<ServerOrderRow[] | undefined> {
  const from =
    cursor === undefined ? undefined : await findRow(tx, acmeServerOrders, { id: cursor, accountId });
  if (cursor !== undefined && from === undefined) return undefined;
  const values: SqlValue[] = [accountId, now, max];
  const isLater = from === undefined ? '' : ' and (created_at, id) >= ($4, $5)';
  if (from !== undefined) values.push(from.createdAt, from.id);
  const text = `select * from acme_server_orders
    where account_id = $1 and state <> 'invalid' and not (state = 'ready' and expires_at <= $2)${isLater}
    order by created_at, id limit $3`;
  return querySql<ServerOrderRow>(tx, columns, text, values);
}

/** The newest order of the account that the certificate answers. */
export function findOrderOfCertificate(
  tx: Tx,
  accountId: string,
  certificateId: string,
): Promise<ServerOrderRow | undefined> {
  const text = `select * from acme_server_orders where certificate_id = $1 and account_id = $2
    order by created_at desc, id desc limit 1`;
  return firstOrder(tx, text, [certificateId, accountId]);
}

/** Orders that the certificate with the identifier of renewalInfo answers, newest first; a few at most. */
export function listOrdersByRenewalId(tx: Tx, renewalId: string): Promise<ServerOrderRow[]> {
  const text = `select * from acme_server_orders where renewal_id = $1
    order by created_at desc, id desc limit 100`;
  return querySql<ServerOrderRow>(tx, columns, text, [renewalId]);
}

/** The newest order of a client with the certificate of that identifier, of the account itself if it has one. */
export function findOrderOfClient(
  tx: Tx,
  renewalId: string,
  { id, clientId }: { readonly id: string; readonly clientId: string },
): Promise<ServerOrderRow | undefined> {
  const text = `select * from acme_server_orders where renewal_id = $1 and client_id = $2
    order by case when account_id = $3 then 0 else 1 end, created_at desc, id desc limit 1`;
  return firstOrder(tx, text, [renewalId, clientId, id]);
}

/** The newest order with the certificate of that identifier, if the certificate has the key. */
export function findOrderByKey(
  tx: Tx,
  renewalId: string,
  spkiSha256: string,
): Promise<ServerOrderRow | undefined> {
  const text = `select * from acme_server_orders where renewal_id = $1 and spki_sha256 = $2
    order by created_at desc, id desc limit 1`;
  return firstOrder(tx, text, [renewalId, spkiSha256]);
}

export function findOrderOfAccount(
  tx: Tx,
  accountId: string,
  id: string,
): Promise<ServerOrderRow | undefined> {
  return findRow(tx, acmeServerOrders, { id, accountId });
}

/** The newest issued order that an account has for the same identifiers. */
export function findFormerOrder(
  tx: Tx,
  { accountId, spaceId, identifiersKey }: Pick<ServerOrderRow, 'accountId' | 'spaceId' | 'identifiersKey'>,
): Promise<ServerOrderRow | undefined> {
  const text = `select * from acme_server_orders
    where space_id = $1 and identifiers_key = $2 and account_id = $3 and is_newest
    order by created_at desc, id desc limit 1`;
  return firstOrder(tx, text, [spaceId, identifiersKey, accountId]);
}

/** Orders of a client for the same identifiers by the same provider. */
export type SameOrder = Pick<ServerOrderRow, 'clientId' | 'spaceId' | 'identifiersKey' | 'providerId'>;

const isSame = 'space_id = $1 and identifiers_key = $2 and client_id = $3 and provider_id = $4';
const newestFirst = 'order by created_at desc, id desc limit 1';

/** The newest valid order for the same. */
export function findSameOrder(
  tx: Tx,
  { clientId, spaceId, identifiersKey, providerId }: SameOrder,
): Promise<ServerOrderRow | undefined> {
  const text = `select * from acme_server_orders where ${isSame} and state = 'valid' ${newestFirst}`;
  return firstOrder(tx, text, [spaceId, identifiersKey, clientId, providerId]);
}

/** The newest valid order for the same with the same key, and the newest one that is being processed. */
export async function findSameKeyOrders(
  tx: Tx,
  { clientId, spaceId, identifiersKey, providerId }: SameOrder,
  spkiSha256: string,
): Promise<{ readonly [State in 'valid' | 'processing']: ServerOrderRow | undefined }> {
  const newestOf = (state: string) => `select * from (select * from acme_server_orders
    where ${isSame} and spki_sha256 = $5 and state = '${state}' ${newestFirst}) ${state}_order`;
  const text = `${newestOf('valid')} union all ${newestOf('processing')}`;
  const values = [spaceId, identifiersKey, clientId, providerId, spkiSha256];
  const found = await querySql<ServerOrderRow>(tx, columns, text, values);
  return {
    valid: found.find(({ state }) => state === 'valid'),
    processing: found.find(({ state }) => state === 'processing'),
  };
}

/** Which orders count: of a client, or those that led to a certificate for the same identifiers by a provider. */
export type CountedOrders =
  | Pick<ServerOrderRow, 'clientId'>
  | Pick<ServerOrderRow, 'spaceId' | 'identifiersKey' | 'providerId'>;

/** When the first of the newest `count` orders was placed, of those since then; undefined if there are fewer. */
export async function findNthOrder(
  tx: Tx,
  orders: CountedOrders,
  { since, now, count }: { readonly since: Date; readonly now: Date; readonly count: number },
): Promise<Date | undefined> {
  const [condition, values]: [string, SqlValue[]] =
    'clientId' in orders
      ? ['client_id = $4', [orders.clientId]]
      : [
          `space_id = $4 and identifiers_key = $5 and provider_id = $6
            and issuance_id is not null and state <> 'invalid'`,
          [orders.spaceId, orders.identifiersKey, orders.providerId],
        ];
  const text = `select created_at from acme_server_orders
    where ${condition} and replaces is null and created_at > $1 and created_at <= $2
    order by created_at desc limit 1 offset $3`;
  const rows = await querySql(tx, { createdAt: column.instant() }, text, [since, now, count - 1, ...values]);
  return rows[0]?.createdAt;
}

/** Orders of a client, placed since the moment, that are being processed. */
export function listProcessedOrders(tx: Tx, clientId: string, since: Date): Promise<ServerOrderRow[]> {
  const text = `select * from acme_server_orders
    where client_id = $1 and created_at >= $2 and state = 'processing' order by created_at, id`;
  return querySql<ServerOrderRow>(tx, columns, text, [clientId, since]);
}
