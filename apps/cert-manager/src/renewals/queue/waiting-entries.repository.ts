import { column, placeholders, querySql, type Tx } from '@certloop/db';
import { isNewest } from '../../certificates/in-use.js';
import { isOpen } from '../renewals.repository.js';
import type { WaitingEntry } from './planned-bounds.js';

const columns = {
  fqdnId: column.uuid(),
  attempt: column.integer(),
  scheduledAt: column.instant(),
  createdAt: column.instant(),
  certificateId: column.uuid(),
  windowStart: column.instant().nullable(),
  windowEnd: column.instant().nullable(),
  renewAfterPermille: column.integer().nullable(),
  newestId: column.uuid(),
  notBefore: column.instant(),
  notAfter: column.instant(),
  storedAt: column.instant(),
  revokedAt: column.instant().nullable(),
};

/** The planned renewals of the FQDNs that no worker has claimed, with what decides until when they may wait. */
export async function listWaitingEntries(
  tx: Tx,
  fqdnIds: readonly string[],
): Promise<(WaitingEntry & { readonly fqdnId: string })[]> {
  if (fqdnIds.length === 0) return [];
  const text = `select q.fqdn_id, q.attempt, q.scheduled_at, q.created_at, q.certificate_id, q.window_start, q.window_end,
      f.renew_after_permille, c.id as newest_id, c.not_before, c.expires_at as not_after, c.created_at as stored_at,
      c.revoked_at
    from renewal_queue q join fqdns f on f.id = q.fqdn_id
    join certificates c on c.fqdn_id = q.fqdn_id and c.${isNewest}
    where q.fqdn_id in (${placeholders(fqdnIds.length)}) and q.is_test = false and q.${isOpen}
      and q.status = 'pending'`;
  const rows = await querySql(tx, columns, text, fqdnIds);
  return rows.map(({ newestId: id, notBefore, notAfter, storedAt, revokedAt, ...entry }) => {
    const { windowStart: start, windowEnd: end, renewAfterPermille: permille, ...rest } = entry;
    const isSaid = entry.certificateId === id && start !== null && end !== null;
    return {
      ...rest,
      window: isSaid ? { start, end } : undefined,
      fraction: permille === null ? undefined : permille / 1000,
      certificate: { id, notBefore, notAfter, storedAt, revokedAt },
    };
  });
}
