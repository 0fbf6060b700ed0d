import { NotFound } from '@certloop/contracts';
import { column, defineTable, findRow, insertMany, type Tx, updateRows } from '@certloop/db';
import { Between, LessThan } from 'typeorm';

/** A certificate as it is stored. */
export interface CertificateRow {
  readonly id: string;
  readonly fqdnId: string;
  /** The CSR that it was issued for; null once that is deleted. */
  readonly csrId: string | null;
  /** Who issued it; null when it did not come from a provider. */
  readonly providerId: string | null;
  /** What the provider calls it. */
  readonly upstreamId: string | null;
  /** Leaf, followed by its intermediates. */
  readonly pem: string;
  readonly issuer: string;
  /** Hex without a sign octet. */
  readonly serialNumber: string;
  /** SHA-256 over the SubjectPublicKeyInfo, hex. */
  readonly spkiSha256: string;
  readonly notBefore: Date;
  readonly expiresAt: Date;
  readonly createdAt: Date;
  /** When the provider was last asked for it. */
  readonly refreshedAt: Date | null;
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
    refreshedAt: column.instant().nullable(),
  },
  indexes: [
    { columns: ['fqdnId', 'createdAt', 'id'] },
    { columns: ['csrId'] },
    { columns: ['providerId', 'upstreamId'] },
    { columns: ['expiresAt'] },
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

/** The certificate of an FQDN that was stored last. */
export async function findNewestCertificate(tx: Tx, fqdnId: string): Promise<CertificateRow | undefined> {
  return findRow(tx, certificates, { fqdnId }, { by: ['createdAt', 'id'], direction: 'desc' });
}

/** The certificate of an FQDN by what its provider calls it; undefined when it has no name there. */
export async function findIssuedCertificate(
  tx: Tx,
  { fqdnId, providerId, upstreamId }: Pick<CertificateRow, 'fqdnId' | 'providerId' | 'upstreamId'>,
): Promise<CertificateRow | undefined> {
  if (providerId === null || upstreamId === null) return undefined;
  return (await tx.findOneBy(certificates, { fqdnId, providerId, upstreamId })) ?? undefined;
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

export function insertCertificate(tx: Tx, row: CertificateRow): Promise<void> {
  return insertMany(tx, certificates, [row]);
}

/** Replaces what a provider says of a certificate; returns how many rows there were, 0 or 1. */
export function updateCertificate(tx: Tx, id: string, change: Partial<CertificateRow>): Promise<number> {
  return updateRows(tx, certificates, { id }, change);
}

/** How many certificates have run out at `now`, and how many will until `horizon`. */
export async function countExpiring(
  tx: Tx,
  now: Date,
  horizon: Date,
): Promise<{ readonly expired: number; readonly expiring: number }> {
  const expired = await tx.countBy(certificates, { expiresAt: LessThan(now) });
  const expiring = await tx.countBy(certificates, { expiresAt: Between(now, horizon) });
  return { expired, expiring };
}
