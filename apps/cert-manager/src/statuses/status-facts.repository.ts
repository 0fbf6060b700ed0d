import type { RenewalStatus, RevocationReasonName } from '@certloop/contracts';
import { column, placeholders, querySql, type RowOf, type SqlValue, type Tx } from '@certloop/db';
import { isNewest } from '../certificates/in-use.js';
import { isUploaded } from '../csrs/csrs.repository.js';

const columns = {
  id: column.uuid(),
  spaceId: column.uuid(),
  fqdn: column.word(253),
  providerId: column.uuid().nullable(),
  renewalEnabled: column.boolean(),
  renewAfterPermille: column.integer().nullable(),
  expiryAcceptedUntil: column.instant().nullable(),
  owner: column.text().nullable(),
  tags: column.json<readonly string[]>().nullable(),
  /** Whether one was uploaded, and after the newest certificate if an ACME client ordered that. */
  hasCsr: column.boolean(),
  /** Whether an ACME client has ordered a certificate for it. */
  hasLineages: column.boolean(),
  /** The newest certificate. */
  certificateId: column.uuid().nullable(),
  notBefore: column.instant().nullable(),
  expiresAt: column.instant().nullable(),
  storedAt: column.instant().nullable(),
  issuerId: column.uuid().nullable(),
  /** The ACME client that ordered it. */
  acmeClientId: column.uuid().nullable(),
  /** Whether the provider that is to be asked next is enabled; null without one. */
  isProviderEnabled: column.boolean().nullable(),
  spkiSha256: column.word(64).nullable(),
  revokedAt: column.instant().nullable(),
  revocationReason: column.word<RevocationReasonName>(32).nullable(),
  /** The open entry of the queue. */
  openCertificateId: column.uuid().nullable(),
  scheduledAt: column.instant().nullable(),
  windowStart: column.instant().nullable(),
  windowEnd: column.instant().nullable(),
  /** The try before the open entry, or the last entry where none is open. */
  triedCertificateId: column.uuid().nullable(),
  triedStatus: column.word<RenewalStatus>(16).nullable(),
  triedAt: column.instant().nullable(),
  triedReason: column.text().nullable(),
  triedAttempt: column.integer().nullable(),
  /** Refusal by the policy of the space. */
  refusedSince: column.instant().nullable(),
  refusal: column.text().nullable(),
  /** Fault in what servers serve. */
  servedSince: column.instant().nullable(),
  servedFault: column.text().nullable(),
};

/** Facts of an FQDN in the tables that decide its state; null for those that do not exist. */
export type FactRow = RowOf<{ columns: typeof columns }>;

const lastEntry = `select l.id from renewal_queue l where l.fqdn_id = f.id and l.is_test = false
  order by l.created_at desc, l.id desc limit 1`;

const selection = `select f.id, f.space_id, f.fqdn, f.provider_id, f.renewal_enabled, f.renew_after_permille,
    f.expiry_accepted_until, f.owner, f.tags,
    exists (select 1 from csrs r where r.fqdn_id = f.id and r.${isUploaded} and
      (c.acme_client_id is null or r.created_at > c.created_at)) as has_csr,
    exists (select 1 from acme_server_orders o where o.fqdn_id = f.id and o.is_newest) as has_lineages,
    c.acme_client_id, c.id as certificate_id, c.not_before, c.expires_at, c.created_at as stored_at,
    c.provider_id as issuer_id,
    v.enabled as is_provider_enabled,
    c.spki_sha256, c.revoked_at, c.revocation_reason,
    q.certificate_id as open_certificate_id, q.scheduled_at, q.window_start, q.window_end,
    t.certificate_id as tried_certificate_id, t.status as tried_status, t.reason as tried_reason,
    t.attempt as tried_attempt,
    coalesce(t.finished_at, t.scheduled_at) as tried_at,
    p.since as refused_since, p.reason as refusal,
    coalesce(s.since, s.created_at) as served_since, s.fault as served_fault
  from fqdns f
    left join certificates c on c.fqdn_id = f.id and c.${isNewest}
    left join providers v on v.id = coalesce(c.provider_id, f.provider_id)
    left join renewal_queue q on q.fqdn_id = f.id and q.is_test = false and q.status in ('pending', 'processing')
    left join renewal_queue t on t.id = case when q.id is null then (${lastEntry}) else q.retry_of end
    left join policy_refusals p on p.fqdn_id = f.id
    left join served_fqdns s on s.id = f.id`;

/** The facts of the FQDNs that exist; at least one is asked for. */
export function readFacts(tx: Tx, ids: readonly string[]): Promise<FactRow[]> {
  return read(tx, `where f.id in (${placeholders(ids.length)})`, ids);
}

/** The facts of FQDNs of all spaces in the order of their ids: those after `last`, at most `limit`. */
export function readFactsAfter(tx: Tx, last: string, limit: number): Promise<FactRow[]> {
  const after = last === '' ? '' : 'where f.id > $1';
  return read(tx, `${after} order by f.id limit ${limit}`, last === '' ? [] : [last]);
}

function read(tx: Tx, part: string, values: readonly SqlValue[]): Promise<FactRow[]> {
  return querySql<FactRow>(tx, columns, `${selection} ${part}`, values);
}
