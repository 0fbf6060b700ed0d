import type { AcmeProblemDocument } from '@certloop/contracts';
import { column, defineTable, type RowOf } from '@certloop/db';

export const acmeServerOrders = defineTable('acme_server_orders', {
  columns: {
    id: column.uuid().primary(),
    clientId: column.uuid(),
    accountId: column.uuid(),
    spaceId: column.uuid(),
    /** The FQDN below which the certificate is stored. */
    fqdnId: column.uuid(),
    fqdn: column.word(253),
    providerId: column.uuid(),
    /** In normal form, each once, in the order as sent. */
    identifiers: column.json<readonly { readonly type: 'dns' | 'ip'; readonly value: string }[]>(),
    /** SHA-256 over the sorted identifiers, hex. */
    identifiersKey: column.word(64),
    state: column.word<'ready' | 'processing' | 'valid' | 'invalid'>(16),
    /** Identifier of the certificate that it replaces (RFC 9773 §4.1). */
    replaces: column.text().nullable(),
    /** The order that replaces its certificate, as long as that one is not invalid. */
    replacedBy: column.uuid().nullable(),
    csrId: column.uuid().nullable(),
    issuanceId: column.uuid().nullable(),
    /** Such as `RSA`, `ECDSA` or `Ed25519`. */
    keyKind: column.word(8).nullable(),
    /** SHA-256 over the SubjectPublicKeyInfo of its CSR, hex. */
    spkiSha256: column.word(64).nullable(),
    /** SHA-256 over client, account, identifiers and kind of key, hex; null until it is finalized. */
    lineage: column.word(64).nullable(),
    /** Whether it is the newest issued order of its lineage. */
    isNewest: column.boolean(),
    certificateId: column.uuid().nullable(),
    /** Identifier of its certificate in renewalInfo (RFC 9773 §4.1). */
    renewalId: column.text().nullable(),
    /** Validity of its certificate. */
    notBefore: column.instant().nullable(),
    notAfter: column.instant().nullable(),
    /** When the renewalInfo of its certificate was first read by a client with the user agent of the account. */
    infoReadAt: column.instant().nullable(),
    /** End of the window that it has read there. */
    infoWindowEnd: column.instant().nullable(),
    /** When a person reported that the machine is gone. */
    releasedAt: column.instant().nullable(),
    problem: column.json<AcmeProblemDocument>().nullable(),
    userAgent: column.text(),
    ipAddress: column.text(),
    createdAt: column.instant(),
    expiresAt: column.instant(),
    finalizedAt: column.instant().nullable(),
    endedAt: column.instant().nullable(),
  },
  indexes: [
    { columns: ['accountId', 'createdAt', 'id'] },
    // the last order of a client, and what counts for its limits
    { columns: ['clientId', 'createdAt', 'id'] },
    // orders for the same names
    { columns: ['spaceId', 'identifiersKey', 'createdAt'] },
    { name: 'ix_acme_server_orders_newest', columns: ['fqdnId'], where: 'is_newest' },
    {
      name: 'ix_acme_server_orders_of_client',
      columns: ['clientId', 'fqdn', 'fqdnId'],
      where: 'is_newest',
    },
    { columns: ['lineage', 'createdAt'], where: 'lineage is not null' },
    {
      name: 'ix_acme_server_orders_open',
      columns: ['fqdnId', 'id'],
      where: "state in ('ready', 'processing')",
    },
    { columns: ['issuanceId'], where: 'issuance_id is not null' },
    { columns: ['certificateId'], where: 'certificate_id is not null' },
    { columns: ['renewalId'], where: 'renewal_id is not null' },
    // 7 days after these, they are deleted
    { columns: ['expiresAt', 'id'], where: 'not_after is null' },
    { columns: ['notAfter', 'id'], where: 'not_after is not null' },
  ],
});

/** An order of an ACME client. The row refers to nothing: what it has ordered may be deleted before it. */
export type ServerOrderRow = RowOf<typeof acmeServerOrders>;
