import { type CertificateSource, NotFound, type RevocationReasonName } from '@certloop/contracts';
import { column, defineTable, findRow, type RowOf, type Tx, updateRows } from '@certloop/db';
import { inUse, isNewest } from './in-use.js';

export const certificates = defineTable('certificates', {
  columns: {
    id: column.uuid().primary(),
    fqdnId: column.uuid(),
    /** The CSR that it was issued for; null once that is deleted. */
    csrId: column.uuid().nullable(),
    /** Who issued it; null when it did not come from a provider. */
    providerId: column.uuid().nullable(),
    /** Id of it at the provider. */
    upstreamId: column.text().nullable(),
    /** Leaf, followed by its intermediates. */
    pem: column.text(),
    issuer: column.text(),
    /** Hex without a sign octet. */
    serialNumber: column.text(),
    /** SHA-256 over the SubjectPublicKeyInfo, hex. */
    spkiSha256: column.word(64),
    notBefore: column.instant(),
    /** When the leaf or the first of its intermediates ends. */
    expiresAt: column.instant(),
    createdAt: column.instant(),
    // SQLite adds no column that refuses null
    /** Its number among the certificates of the FQDN, in the order of their storing; clocks have no say in it. */
    position: column.integer().nullable(),
    /** When the provider was last asked for it. */
    refreshedAt: column.instant().nullable(),
    /** When a newer one of the same FQDN was stored; null for the newest. */
    replacedAt: column.instant().nullable(),
    /** When and why its CA revoked it; null while it has not. */
    revokedAt: column.instant().nullable(),
    revocationReason: column.word<RevocationReasonName>(32).nullable(),
    /** When it was imported; null for one that a provider issued. */
    importedAt: column.instant().nullable(),
    /** SHA-256 over the leaf, hex; null for one that an earlier version stored. */
    leafSha256: column.word(64).nullable(),
    /** When the leaf itself ends; null while the chain of a certificate of an earlier version has not been read. */
    leafExpiresAt: column.instant().nullable(),
    /** Where it was found; null for one that a provider issued, and for an import that does not name its tool. */
    source: column.word<CertificateSource>(16).nullable(),
    /** Kind and size of the key; null while one of an earlier version has not been read. */
    keyKind: column.word(24).nullable(),
    /** SHA-256 over the certificate of its issuer, hex; null if that was not sent. */
    authoritySha256: column.word(64).nullable(),
    /** The ACME client whose order it is for, and the account; null for all others. */
    acmeClientId: column.uuid().nullable(),
    acmeAccountId: column.uuid().nullable(),
    /** SHA-256 of client, account, identifiers and kind of key, hex: certificates that follow one another on a machine. */
    lineage: column.word(64).nullable(),
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
    // the newest one of a lineage
    { columns: ['lineage', 'position'], where: 'lineage is not null' },
    // what is in use, by when it expires
    {
      name: 'ix_certificates_in_use',
      columns: ['expiresAt', 'fqdnId'],
      where: inUse,
    },
    // of an earlier version, until their chains have been read
    { name: 'ix_certificates_unread_chain', columns: ['id'], where: 'leaf_expires_at is null' },
    // the newest ones of an earlier version, until their keys have been read
    {
      name: 'ix_certificates_unread_key',
      columns: ['id'],
      where: `${isNewest} and key_kind is null`,
    },
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

/** A certificate as it is stored. */
export type CertificateRow = RowOf<typeof certificates>;

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
