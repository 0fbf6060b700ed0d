import type { RenewalOwner } from '@certloop/contracts';
import { column, placeholders, querySql, type RowOf, type SqlValue, type Tx } from '@certloop/db';
import { certificates } from '../../certificates/certificates.repository.js';
import type { SpaceScope } from '../../spaces/spaces.repository.js';
import { renewalOwnerSql } from '../renewal-owner.repository.js';

const counted = `from fqdn_standings s left join certificates c on c.id = s.certificate_id`;

/** How many names a value has. */
interface Counted<Value> {
  readonly value: Value;
  readonly names: number;
}

/** An authority, and a certificate whose chain it is part of. */
export interface CountedAuthority extends Counted<string> {
  readonly certificateId: string;
}

/** Counts of names by facts of their newest certificates. */
export interface InventoryCounts {
  readonly names: number;
  readonly unfinished: number;
  readonly issuers: readonly Counted<string>[];
  readonly authorities: readonly CountedAuthority[];
  readonly keys: readonly Counted<string>[];
  readonly owners: readonly Counted<RenewalOwner>[];
}

/** Counts the names of the spaces; each list has at most `limit` rows, the largest count first. */
export async function countInventory(tx: Tx, scope: SpaceScope, limit: number): Promise<InventoryCounts> {
  const grouped = async <Value extends string>(value: string, condition = `${value} is not null`) => {
    const values: SqlValue[] = [];
    const text = `select ${value} as value, count(*) as names, min(cast(c.id as varchar(36))) as certificate_id ${counted}
      where ${condition} ${scopeSql(scope, values)} group by ${value} order by count(*) desc, ${value} limit ${limit}`;
    return querySql(tx, { ...countColumns, value: column.text() as never }, text, values) as Promise<
      (Counted<Value> & { readonly certificateId: string })[]
    >;
  };
  const values: SqlValue[] = [];
  const totals = `select count(*) as names, coalesce(sum(case when s.certificate_id is null then 1 else 0 end), 0) as unfinished
    from fqdn_standings s where 1 = 1 ${scopeSql(scope, values)}`;
  const [total] = await querySql(tx, { names: column.bigint(), unfinished: column.bigint() }, totals, values);
  return {
    names: total?.names ?? 0,
    unfinished: total?.unfinished ?? 0,
    issuers: await grouped('c.issuer'),
    // a certificate that names itself as issuer has none
    authorities: await grouped('c.authority_sha256', 'c.authority_sha256 <> c.leaf_sha256'),
    keys: await grouped('c.key_kind'),
    owners: await grouped<RenewalOwner>(renewalOwnerSql),
  };
}

const countColumns = { names: column.bigint(), certificateId: column.uuid() };

const { issuer, serialNumber, notBefore, expiresAt, leafExpiresAt, leafSha256 } = certificates.columns;
const { importedAt, keyKind, authoritySha256, source } = certificates.columns;
const lineColumns = {
  ...{ issuer, serialNumber, notBefore, expiresAt, leafExpiresAt, leafSha256 },
  ...{ importedAt, keyKind, authoritySha256, source },
  id: column.uuid(),
  fqdn: column.word(253),
  spaceName: column.text(),
  description: column.text(),
  certificateId: column.uuid().nullable(),
  providerId: column.uuid().nullable(),
  owner: column.word<RenewalOwner>(16),
};

/** A name with its newest certificate; columns of a certificate are null without one, whatever their declaration says. */
export type InventoryLine = RowOf<{ columns: typeof lineColumns }>;

/** Position of a line in the order of names. */
export type LinePosition = Pick<InventoryLine, 'fqdn' | 'id'>;

/** Names of the spaces in their order, those after `last`, at most `limit`. */
export function listInventoryLines(
  tx: Tx,
  scope: SpaceScope,
  last: LinePosition | undefined,
  limit: number,
): Promise<InventoryLine[]> {
  const values: SqlValue[] = [];
  const after =
    last === undefined ? '' : `and (s.fqdn, s.id) > ($${values.push(last.fqdn)}, $${values.push(last.id)})`;
  const text = `select s.id, s.fqdn, p.name as space_name, f.description, s.certificate_id, c.issuer, c.serial_number,
      c.not_before, c.expires_at, c.leaf_expires_at, c.leaf_sha256, c.imported_at, c.key_kind, c.authority_sha256,
      c.source, c.provider_id, ${renewalOwnerSql} as owner
    ${counted} join fqdns f on f.id = s.id join spaces p on p.id = s.space_id
    where 1 = 1 ${after} ${scopeSql(scope, values)} order by s.fqdn, s.id limit ${limit}`;
  return querySql<InventoryLine>(tx, lineColumns, text, values);
}

function scopeSql(scope: SpaceScope, values: SqlValue[]): string {
  if (scope === 'all') return '';
  const ids = placeholders(scope.length, values.length + 1);
  values.push(...scope);
  return `and s.space_id in (${ids || 'null'})`;
}
