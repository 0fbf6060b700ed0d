import type { RenewalStatus } from '@certloop/contracts';
import { column, columnName, inDialect, placeholders, querySql, type RowOf, type Tx } from '@certloop/db';
import { type CertificateRow, certificates } from '../certificates/certificates.repository.js';
import type { LintingProvider } from '../csrs/csr-findings.js';
import { type CsrRow, csrs, isUploaded } from '../csrs/csrs.repository.js';
import { providers } from '../providers/providers.repository.js';
import type { TargetProtocol } from './renewal-owner.js';
import { isAdoptedSql } from './renewal-owner.repository.js';
import { type FqdnStatusRow, fqdnStatuses } from './statuses.repository.js';

/** Columns of a certificate that a list shows. */
export type ShownCertificate = Pick<
  CertificateRow,
  | 'id'
  | 'issuer'
  | 'serialNumber'
  | 'spkiSha256'
  | 'leafExpiresAt'
  | 'leafSha256'
  | 'providerId'
  | 'importedAt'
  | 'keyKind'
  | 'authoritySha256'
  | 'source'
>;

/** All that is shown of the state of an FQDN. */
export interface FoundStatus {
  readonly id: string;
  /** Undefined for one that a process of an earlier version has just added. */
  readonly status: FqdnStatusRow | undefined;
  /** The newest one, by its status. */
  readonly certificate: ShownCertificate | undefined;
  readonly csr: { readonly id: string; readonly createdAt: Date } | undefined;
  /** The provider of the FQDN, as the rules for CSRs need it. */
  readonly provider: LintingProvider | undefined;
  /** The open entry of the renewal queue; tests omitted. */
  readonly renewal:
    | { readonly status: RenewalStatus; readonly scheduledAt: Date; readonly attempt: number }
    | undefined;
  /** The open request for a certificate. */
  readonly job: 'running' | 'waiting' | undefined;
  /** Address of its check in the monitor. */
  readonly checkUuid: string | undefined;
  /** Of its targets, each once. */
  readonly protocols: readonly TargetProtocol[];
  /** Whether what one of its targets serves becomes its newest certificate. */
  readonly isAdopting: boolean;
}

const { issuer, serialNumber, spkiSha256, leafExpiresAt, leafSha256, importedAt } = certificates.columns;
const { keyKind, authoritySha256, source } = certificates.columns;
const shownColumns = {
  ...{ issuer, serialNumber, spkiSha256, leafExpiresAt, leafSha256, importedAt },
  ...{ keyKind, authoritySha256, source },
};
const shownNames = Object.keys(shownColumns).map(columnName);
const statusColumns = fqdnStatuses.columns;
const foundColumns = {
  ...statusColumns,
  ...shownColumns,
  issuerId: column.uuid().nullable(),
  protocols: column.text().nullable(),
  isAdopting: column.boolean(),
  fqdnId: column.uuid(),
  csrId: column.uuid().nullable(),
  csrCreatedAt: column.instant(),
  providerName: providers.columns.name,
  providerKind: providers.columns.kind,
  providerConfig: providers.columns.config,
  renewalStatus: column.word<RenewalStatus>(16).nullable(),
  renewalScheduledAt: column.instant(),
  renewalAttempt: column.integer(),
  jobStatus: column.word<'running' | 'waiting'>(16).nullable(),
  checkUuid: column.uuid().nullable(),
};
/** Row of a left join: columns without a row on the right side are null, whatever their declaration says. */
type FoundRow = RowOf<{ columns: typeof foundColumns }>;

/**
 * How the FQDNs stand; at least one is asked for. By one statement, as each costs a way to the server; every table is
 * read by an index of which each FQDN has at most one entry.
 */
export async function readFound(tx: Tx, ids: readonly string[]): Promise<FoundStatus[]> {
  const text = `select s.*, f.id as fqdn_id, ${shownNames.map((name) => `c.${name}`).join(', ')}, c.provider_id as issuer_id,
      (select ${protocolsSql(tx)} from targets t where t.fqdn_id = f.id) as protocols, ${isAdoptedSql('f.id')} as is_adopting,
      r.id as csr_id, r.created_at as csr_created_at,
      p.name as provider_name, p.kind as provider_kind, p.config as provider_config,
      q.status as renewal_status, q.scheduled_at as renewal_scheduled_at, q.attempt as renewal_attempt,
      case j.state when 'queued' then 'running' else j.state end as job_status, w.check_uuid
    from fqdns f left join fqdn_standings s on s.id = f.id
      left join certificates c on c.id = s.certificate_id
      left join csrs r on r.id = (select l.id from csrs l where l.fqdn_id = f.id and l.${isUploaded} order by l.position desc limit 1)
      left join providers p on p.id = f.provider_id
      left join renewal_queue q on q.fqdn_id = f.id and q.is_test = false and q.status in ('pending', 'processing')
      left join issuances j on j.fqdn_id = f.id and j.is_order and j.cause not in ('renewal', 'client')
        and j.state in ('queued', 'running', 'waiting')
      left join watched_fqdns w on w.id = f.id
    where f.id in (${placeholders(ids.length)})`;
  const rows = await querySql<FoundRow>(tx, foundColumns, text, ids);
  return rows.map(foundIn);
}

/** SQL of the protocols of targets `t` in one text, each once. */
function protocolsSql(tx: Tx): string {
  return inDialect(tx, {
    sqlite: 'group_concat(distinct t.protocol)',
    postgres: "string_agg(distinct t.protocol, ',')",
  });
}

function foundIn(row: FoundRow): FoundStatus {
  const { issuerId, csrId, renewalStatus, certificateId } = row;
  return {
    id: row.fqdnId,
    status: (row.id as string | null) === null ? undefined : row,
    certificate:
      certificateId === null || (row.issuer as string | null) === null
        ? undefined
        : { ...row, id: certificateId, providerId: issuerId },
    csr: csrId === null ? undefined : { id: csrId, createdAt: row.csrCreatedAt },
    provider:
      (row.providerName as string | null) === null
        ? undefined
        : { name: row.providerName, kind: row.providerKind, config: row.providerConfig },
    renewal:
      renewalStatus === null
        ? undefined
        : { status: renewalStatus, scheduledAt: row.renewalScheduledAt, attempt: row.renewalAttempt },
    job: row.jobStatus ?? undefined,
    checkUuid: row.checkUuid ?? undefined,
    protocols: (row.protocols?.split(',') ?? []) as TargetProtocol[],
    isAdopting: row.isAdopting,
  };
}

/** Certificates by their ids, without their texts; at least one is asked for, here and below. */
export function listShownCertificates(tx: Tx, ids: readonly string[]): Promise<ShownCertificate[]> {
  const { id, providerId } = certificates.columns;
  const text = `select id, provider_id, ${shownNames.join(', ')} from certificates
    where id in (${placeholders(ids.length)})`;
  return querySql<ShownCertificate>(tx, { id, providerId, ...shownColumns }, text, ids);
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

/** The texts of CSRs by their ids. */
export function listCsrTexts(
  tx: Tx,
  ids: readonly string[],
): Promise<Pick<CsrRow, 'id' | 'csrPem' | 'spkiSha256'>[]> {
  const { id, csrPem, spkiSha256: key } = csrs.columns;
  const text = `select id, csr_pem, spki_sha256 from csrs where id in (${placeholders(ids.length)})`;
  return querySql<Pick<CsrRow, 'id' | 'csrPem' | 'spkiSha256'>>(
    tx,
    { id, csrPem, spkiSha256: key },
    text,
    ids,
  );
}
