import type { RenewalStatus } from '@certloop/contracts';
import { column, findRows, placeholders, querySql, type Tx } from '@certloop/db';
import { type CertificateRow, certificates } from '../certificates/certificates.repository.js';
import { watchedFqdns } from '../watch/watched-fqdns.repository.js';
import { fqdnStandings, type StandingRow } from './standings.repository.js';

/** The standings of the FQDNs; at least one is asked for, here and below. */
export function listStandings(tx: Tx, ids: readonly string[]): Promise<StandingRow[]> {
  return findRows(tx, fqdnStandings, { id: ids });
}

/** An open entry of the renewal queue. */
export interface OpenRenewal {
  readonly fqdnId: string;
  readonly status: RenewalStatus;
  readonly scheduledAt: Date;
  readonly attempt: number;
}

/** The open entries of the FQDNs; tests left out. */
export function listOpenRenewals(tx: Tx, ids: readonly string[]): Promise<OpenRenewal[]> {
  const columns = {
    fqdnId: column.uuid(),
    status: column.word<RenewalStatus>(16),
    scheduledAt: column.instant(),
    attempt: column.integer(),
  };
  const text = `select fqdn_id, status, scheduled_at, attempt from renewal_queue
    where fqdn_id in (${placeholders(ids.length)}) and is_test = false and status in ('pending', 'processing')`;
  return querySql<OpenRenewal>(tx, columns, text, ids);
}

/** The open requests of the FQDNs for a certificate. */
export function listOpenJobs(
  tx: Tx,
  ids: readonly string[],
): Promise<{ fqdnId: string; status: 'running' | 'waiting' }[]> {
  const columns = { fqdnId: column.uuid(), status: column.word<'running' | 'waiting'>(16) };
  const text = `select fqdn_id, status from issuance_jobs
    where fqdn_id in (${placeholders(ids.length)}) and status in ('running', 'waiting')`;
  return querySql<{ fqdnId: string; status: 'running' | 'waiting' }>(tx, columns, text, ids);
}

/** What of a certificate a list shows. */
export type ShownCertificate = Pick<CertificateRow, 'id' | 'issuer' | 'serialNumber' | 'spkiSha256'>;

/** Certificates by their ids, without their texts. */
export function listShownCertificates(tx: Tx, ids: readonly string[]): Promise<ShownCertificate[]> {
  const { id, issuer, serialNumber, spkiSha256 } = certificates.columns;
  const text = `select id, issuer, serial_number, spki_sha256 from certificates
    where id in (${placeholders(ids.length)})`;
  return querySql<ShownCertificate>(tx, { id, issuer, serialNumber, spkiSha256 }, text, ids);
}

/** The texts of certificates by their ids. */
export function listCertificateTexts(
  tx: Tx,
  ids: readonly string[],
): Promise<Pick<CertificateRow, 'id' | 'pem'>[]> {
  const { id, pem } = certificates.columns;
  const text = `select id, pem from certificates where id in (${placeholders(ids.length)})`;
  return querySql<Pick<CertificateRow, 'id' | 'pem'>>(tx, { id, pem }, text, ids);
}

/** Addresses of the FQDNs' checks in the monitor. */
export async function listCheckUuids(tx: Tx, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await findRows(tx, watchedFqdns, { id: ids });
  return new Map(rows.flatMap(({ id, checkUuid }) => (checkUuid === null ? [] : [[id, checkUuid] as const])));
}
