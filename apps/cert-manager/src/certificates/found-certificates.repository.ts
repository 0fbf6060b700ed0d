import { type ListPage, type ListWindow, readListPage, type SqlValue, type Tx } from '@certloop/db';
import type { SpaceScope } from '../spaces/spaces.repository.js';
import { type CertificateRow, certificates } from './certificates.repository.js';

/** Columns that are read of a certificate that is searched for. */
export type FoundRow = Pick<CertificateRow, keyof typeof foundColumns>;

const {
  id,
  fqdnId,
  issuer,
  serialNumber,
  notBefore,
  expiresAt,
  leafExpiresAt,
  createdAt,
  replacedAt,
  revokedAt,
} = certificates.columns;
const foundColumns = {
  id,
  fqdnId,
  issuer,
  serialNumber,
  notBefore,
  expiresAt,
  leafExpiresAt,
  createdAt,
  replacedAt,
  revokedAt,
};

/** Conditions of a search for certificates; an undefined member is not a condition. */
export interface CertificateFilter {
  readonly scope: SpaceScope;
  readonly id?: string | undefined;
  /** Hex, as it is stored. */
  readonly serialNumber?: string | undefined;
  /** Over the certificate or over its public key, hex. */
  readonly sha256?: string | undefined;
}

/** The certificates that are looked for, those stored last first. */
export function readFoundPage(
  tx: Tx,
  filter: CertificateFilter,
  window: ListWindow,
): Promise<ListPage<FoundRow>> {
  const list = {
    table: { name: certificates.name, columns: foundColumns },
    by: 'createdAt',
    isNewestFirst: true,
    where: {
      ...(filter.id !== undefined && { id: [filter.id] }),
      ...(filter.serialNumber !== undefined && { serial_number: [filter.serialNumber] }),
    },
    also: (place: (value: SqlValue) => string) => conditionsOf(filter, place),
  } as const;
  return readListPage<FoundRow>(tx, list, window);
}

function conditionsOf({ sha256, scope }: CertificateFilter, place: (value: SqlValue) => string): string[] {
  const conditions: string[] = [];
  if (sha256 !== undefined) {
    const digest = place(sha256);
    conditions.push(`(leaf_sha256 = ${digest} or spki_sha256 = ${digest})`);
  }
  if (scope !== 'all') {
    // asked for each certificate that is found: a space may have many more FQDNs
    conditions.push(
      `exists (select 1 from fqdns f where f.id = certificates.fqdn_id
        and f.space_id in (${scope.map(place).join(', ') || 'null'}))`,
    );
  }
  return conditions;
}
