import { column, querySql, type SqlValue, type Tx } from '@certloop/db';

/** Rows that name a provider. */
export interface ProviderUsers {
  readonly count: number;
  /** FQDNs of the first few. */
  readonly fqdnIds: readonly string[];
  /** Names of the first few rows without an FQDN. */
  readonly names?: readonly string[];
}

const counted = { count: column.bigint() };
const found = { fqdnId: column.uuid() };
export const maxNamed = 3;

/** Number of rows that meet the condition, and the FQDNs of the first few; `fqdnId` is the column of the FQDN. */
export async function findProviderUsers(
  tx: Tx,
  {
    table,
    fqdnId,
    condition,
  }: { readonly table: string; readonly fqdnId: string; readonly condition: string },
  values: readonly SqlValue[],
): Promise<ProviderUsers> {
  const from = `from ${table} where ${condition}`;
  const [row] = await querySql(tx, counted, `select count(*) as count ${from}`, values);
  const first = await querySql(
    tx,
    found,
    `select ${fqdnId} as fqdn_id ${from} order by id limit ${maxNamed}`,
    values,
  );
  return { count: row?.count ?? 0, fqdnIds: first.map((one) => one.fqdnId) };
}
