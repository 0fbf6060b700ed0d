import type { RenewalOwner } from '@certloop/contracts';
import { column, inDialect, placeholders, querySql, type RowOf, type SqlValue, type Tx } from '@certloop/db';
import type { SpaceScope } from '../spaces/spaces.repository.js';
import type { StatusOutlook } from '../statuses/computed-status.js';
import { inSpaces } from '../statuses/outlook/outlook.repository.js';
import { renewalOwnerSql } from '../statuses/renewal-owner.repository.js';

const columns = {
  id: column.uuid(),
  spaceId: column.uuid(),
  fqdn: column.word(253),
  outlook: column.word<StatusOutlook>(16),
  /** Who is asked for the next certificate. */
  providerId: column.uuid().nullable(),
  renewAfterPermille: column.integer().nullable(),
  certificateId: column.uuid(),
  notBefore: column.instant(),
  leafEnd: column.instant(),
  issuer: column.text(),
  renewedBy: column.word<RenewalOwner>(16),
};

/** An FQDN with its certificate in use. */
export type InventoryRow = RowOf<{ columns: typeof columns }>;

/** FQDNs whose newest certificate is in use and has not ended, in the order of their ids: those after `last`. */
export function listInventory(
  tx: Tx,
  { scope, now, last, limit }: { scope: SpaceScope; now: Date; last: string; limit: number },
): Promise<InventoryRow[]> {
  const values: SqlValue[] = [now];
  const place = (value: SqlValue) => `$${values.push(value)}`;
  const after = last === '' ? '' : `and s.id > ${place(last)}`;
  const text = `select s.id, s.space_id, s.fqdn, s.outlook, s.provider_id, f.renew_after_permille,
      c.id as certificate_id, c.not_before, coalesce(c.leaf_expires_at, c.expires_at) as leaf_end, c.issuer,
      ${renewalOwnerSql} as renewed_by
    from fqdn_standings s join fqdns f on f.id = s.id join certificates c on c.id = s.certificate_id
    where s.expires_at > $1 and c.revoked_at is null ${after} ${inSpaces(scope, place)}
    order by s.id limit ${limit}`;
  return querySql<InventoryRow>(tx, columns, text, values);
}

/** Planned renewals of a provider, by what its CA has said of them. */
export interface AdviceRow {
  readonly providerId: string;
  /** Those for which the CA named a window. */
  readonly windows: number;
  /** Those for which it was asked and named none. */
  readonly without: number;
}

/** Counts the planned renewals of each provider by what its CA has said when it wants them. */
export function countAdvice(tx: Tx, now: Date): Promise<AdviceRow[]> {
  const text = `select provider_id, sum(case when window_start is not null then 1 else 0 end) as windows,
      sum(case when window_start is null and advice_due_at > $1 then 1 else 0 end) as without
    from renewal_queue where status = 'pending' and is_test = false group by provider_id`;
  const counts = { providerId: column.uuid(), windows: column.bigint(), without: column.bigint() };
  return querySql<AdviceRow>(tx, counts, text, [now]);
}

/** Texts of the leaves of certificates, without the rest of their chains. */
export function listLeafTexts(
  tx: Tx,
  ids: readonly string[],
): Promise<{ readonly id: string; readonly pem: string }[]> {
  const place = inDialect(tx, { sqlite: "instr(pem, '-----END')", postgres: "strpos(pem, '-----END')" });
  const text = `select id, substr(pem, 1, ${place} + 24) as pem from certificates
    where id in (${placeholders(ids.length)})`;
  return querySql(tx, { id: column.uuid(), pem: column.text() }, text, ids);
}
