import { column, querySql, type SqlValue, type Tx } from '@certloop/db';
import { inUse } from '../certificates/in-use.js';
import { isUploaded } from '../csrs/csrs.repository.js';
import type { SpaceScope } from '../spaces/spaces.repository.js';

/** Counts of certificates and renewals in the spaces. */
export interface DetailCounts {
  readonly certificates: number;
  readonly expiringWithin7Days: number;
  readonly expiringWithin30Days: number;
  readonly failedRenewals: number;
  /** By the provider's name. */
  readonly certificatesByProvider: Readonly<Record<string, number>>;
  readonly csrsByAlgorithm: Readonly<Record<string, number>>;
}

const day = 86_400_000;

export async function countDetails(tx: Tx, scope: SpaceScope, now: Date): Promise<DetailCounts> {
  const within = (days: number) => countExpiringNewest(tx, scope, now, new Date(now.getTime() + days * day));
  return {
    certificates: await count(tx, `certificates x ${ofFqdn}`, scope),
    expiringWithin7Days: await within(7),
    expiringWithin30Days: await within(30),
    failedRenewals: await count(tx, 'renewal_queue x', scope, "x.status = 'failed'", 'x.space_id'),
    certificatesByProvider: await countBy(
      tx,
      scope,
      'p.name',
      `certificates x ${ofFqdn} join providers p on p.id = x.provider_id`,
    ),
    csrsByAlgorithm: await countBy(tx, scope, algorithm, `csrs x ${ofFqdn} and x.${isUploaded}`),
  };
}

const ofFqdn = 'join fqdns f on f.id = x.fqdn_id';

// what a CSR says is JSON text, in which a quotation mark of a name never stands without its backslash
const algorithms = ['RSA', 'RSA-PSS', 'ECDSA', 'Ed25519'];
const cases = algorithms.map(
  (name) => `when x.description like '%"publicKeyAlgorithm":"${name}"%' then '${name}'`,
);
const algorithm = `case ${cases.join(' ')} else 'other' end`;

function countExpiringNewest(tx: Tx, scope: SpaceScope, from: Date, to: Date): Promise<number> {
  const condition = `${inUse} and x.expires_at >= $1 and x.expires_at < $2`;
  return count(tx, `certificates x ${ofFqdn}`, scope, condition, 'f.space_id', [from, to]);
}

async function count(
  tx: Tx,
  from: string,
  scope: SpaceScope,
  condition = 'true',
  spaceColumn = 'f.space_id',
  given: readonly SqlValue[] = [],
): Promise<number> {
  const values = [...given];
  const where = `${condition} and ${within(scope, spaceColumn, values)}`;
  const text = `select count(*) as count from ${from} where ${where}`;
  const [counted] = await querySql(tx, { count: column.bigint() }, text, values);
  return counted?.count ?? 0;
}

async function countBy(
  tx: Tx,
  scope: SpaceScope,
  group: string,
  from: string,
): Promise<Record<string, number>> {
  const values: SqlValue[] = [];
  const where = within(scope, 'f.space_id', values);
  const text = `select ${group} as name, count(*) as count from ${from} where ${where} group by 1 order by 1`;
  const rows = await querySql(tx, { name: column.text(), count: column.bigint() }, text, values);
  return Object.fromEntries(rows.map(({ name, count: total }) => [name, total]));
}

/** A condition that holds for rows of the spaces; its values are added to `values`. */
function within(scope: SpaceScope, spaceColumn: string, values: SqlValue[]): string {
  if (scope === 'all') return 'true';
  const places = scope.map((id) => `$${values.push(id)}`);
  return `${spaceColumn} in (${places.join(', ') || 'null'})`;
}
