import { column, querySql, type Tx } from '@certloop/db';
import { inUse } from '../../certificates/in-use.js';
import { maxNoticeMs } from '../../standings/attention.js';

/** A certificate in use that expires soon. */
export interface ExpiringRow {
  readonly id: string;
  readonly fqdnId: string;
  readonly spaceId: string;
  readonly fqdn: string;
  readonly serialNumber: string;
  readonly notBefore: Date;
  readonly expiresAt: Date;
  readonly leafExpiresAt: Date | null;
  readonly renewalEnabled: boolean;
}

const columns = {
  id: column.uuid(),
  fqdnId: column.uuid(),
  spaceId: column.uuid(),
  fqdn: column.text(),
  serialNumber: column.text(),
  notBefore: column.instant(),
  expiresAt: column.instant(),
  leafExpiresAt: column.instant().nullable(),
  renewalEnabled: column.boolean(),
};

/**
 * Certificates in use that expire within 30 days, by when they expire: those that no event is about yet and whose expiry
 * is not accepted.
 */
export function listExpiring(
  tx: Tx,
  after: { readonly expiresAt: Date; readonly fqdnId: string },
  now: Date,
  limit: number,
): Promise<ExpiringRow[]> {
  const horizon = new Date(now.getTime() + maxNoticeMs);
  const known = `select 1 from events e where e.once_key = 'certificate.expiring:' || c.id`;
  const accepted = 'f.renewal_enabled = false and f.expiry_accepted_until > $4';
  const text = `select c.id, c.fqdn_id, f.space_id, f.fqdn, c.serial_number, c.not_before, c.expires_at,
      c.leaf_expires_at, f.renewal_enabled
    from certificates c join fqdns f on f.id = c.fqdn_id
    where ${inUse} and (c.expires_at, c.fqdn_id) > ($1, $2) and c.expires_at <= $3 and not exists (${known})
      and (f.expiry_accepted_until is null or not (${accepted}))
    order by c.expires_at, c.fqdn_id limit ${limit}`;
  return querySql<ExpiringRow>(tx, columns, text, [after.expiresAt, after.fqdnId, horizon, now]);
}
