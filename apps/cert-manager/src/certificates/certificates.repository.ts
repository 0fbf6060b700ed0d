import { NotFound, type RevocationReasonName } from '@certloop/contracts';
import { column, defineTable, findRow, type Tx, updateRows } from '@certloop/db';
import { inUse, isNewest } from './in-use.js';

/** A certificate as it is stored. */
export interface CertificateRow {
  readonly id: string;
  readonly fqdnId: string;
  /** The CSR that it was issued for; null once that is deleted. */
  readonly csrId: string | null;
  /** Who issued it; null when it did not come from a provider. */
  readonly providerId: string | null;
  /** Id of it at the provider. */
  readonly upstreamId: string | null;
  /** Leaf, followed by its intermediates. */
  readonly pem: string;
  readonly issuer: string;
  /** Hex without a sign octet. */
  readonly serialNumber: string;
  /** SHA-256 over the SubjectPublicKeyInfo, hex. */
  readonly spkiSha256: string;
  /** SHA-256 over the leaf, hex; null for one that an earlier version stored. */
  readonly leafSha256: string | null;
  readonly notBefore: Date;
  /** When the leaf or the first of its intermediates ends. */
  readonly expiresAt: Date;
  /** When the leaf itself ends; null while the chain of a certificate of an earlier version has not been read. */
  readonly leafExpiresAt: Date | null;
  readonly createdAt: Date;
  /** Its number among the certificates of the FQDN, in the order of their storing; clocks have no say in it. */
  readonly position: number | null;
  /** When the provider was last asked for it. */
  readonly refreshedAt: Date | null;
  /** When a newer one of the same FQDN was stored; null for the newest. */
  readonly replacedAt: Date | null;
  /** When and why its CA revoked it; null while it has not. */
  readonly revokedAt: Date | null;
  readonly revocationReason: RevocationReasonName | null;
  /** When it was imported; null for one that a provider issued. */
  readonly importedAt: Date | null;
}

export const certificates = defineTable<CertificateRow>('certificates', {
  columns: {
    id: column.uuid().primary(),
    fqdnId: column.uuid(),
    csrId: column.uuid().nullable(),
    providerId: column.uuid().nullable(),
    upstreamId: column.text().nullable(),
    pem: column.text(),
    issuer: column.text(),
    serialNumber: column.text(),
    spkiSha256: column.word(64),
    notBefore: column.instant(),
    expiresAt: column.instant(),
    createdAt: column.instant(),
    // SQLite adds no column that refuses null
    position: column.integer().nullable(),
    refreshedAt: column.instant().nullable(),
    replacedAt: column.instant().nullable(),
    revokedAt: column.instant().nullable(),
    revocationReason: column.word<RevocationReasonName>(32).nullable(),
    importedAt: column.instant().nullable(),
    leafSha256: column.word(64).nullable(),
    leafExpiresAt: column.instant().nullable(),
  },
  indexes: [
    { columns: ['fqdnId', 'position'], unique: true },
    // an FQDN has one newest; the name is from when that was the one in use
    { name: 'uq_certificates_in_use', columns: ['fqdnId'], unique: true, where: isNewest },
    // the same certificate is stored once; what an earlier version stored is found by its serial number
    { columns: ['fqdnId', 'serialNumber', 'leafSha256'], unique: true },
    { columns: ['csrId'] },
    { columns: ['providerId', 'upstreamId'] },
    // what people look for by a serial number or a fingerprint that they have
    { columns: ['serialNumber', 'createdAt', 'id'] },
    { columns: ['leafSha256'] },
    { columns: ['spkiSha256'] },
    // what is in use, by when it expires
    {
      name: 'ix_certificates_in_use',
      columns: ['expiresAt', 'fqdnId'],
      where: inUse,
    },
    // of an earlier version, until their chains have been read
    { name: 'ix_certificates_unread_chain', columns: ['id'], where: 'leaf_expires_at is null' },
    // whose keys must not be certified again
    {
      name: 'ix_certificates_compromised',
      columns: ['spkiSha256'],
      where: "revocation_reason = 'keyCompromise'",
    },
  ],
  references: [
    { columns: ['fqdnId'], table: 'fqdns', onDelete: 'CASCADE' },
    { columns: ['csrId'], table: 'csrs', onDelete: 'SET NULL' },
    { columns: ['providerId'], table: 'providers', onDelete: 'SET NULL' },
  ],
});

export async function findCertificate(tx: Tx, id: string): Promise<CertificateRow | undefined> {
  return findRow(tx, certificates, { id });
}

/** Throws NotFound when the FQDN has no such certificate. */
export async function getCertificate(tx: Tx, fqdnId: string, id: string): Promise<CertificateRow> {
  const row = await findRow(tx, certificates, { id, fqdnId });
  if (row === undefined) throw certificateNotFound();
  return row;
}

/** The refusal for a certificate that the FQDN does not have. */
export function certificateNotFound(): NotFound {
  return new NotFound('certificate not found', {
    code: 'certificate_not_found',
    title: 'Certificate not found',
  });
}

/** Replaces what a provider says of a certificate; returns how many rows there were, 0 or 1. */
export function updateCertificate(tx: Tx, id: string, change: Partial<CertificateRow>): Promise<number> {
  return updateRows(tx, certificates, { id }, change);
}
