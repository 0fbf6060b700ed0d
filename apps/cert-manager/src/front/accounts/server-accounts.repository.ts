import type { PublicJwk } from '@certloop/crypto';
import { column, defineTable, type RowOf } from '@certloop/db';

export const acmeServerAccounts = defineTable('acme_server_accounts', {
  columns: {
    id: column.uuid().primary(),
    clientId: column.uuid(),
    spaceId: column.uuid(),
    /** SHA-256 over the key (RFC 7638), base64url. */
    thumbprint: column.word(64),
    jwk: column.json<PublicJwk>(),
    contacts: column.json<readonly string[]>(),
    /** The external account binding as it was sent. */
    binding: column.json<object>(),
    status: column.word<'valid' | 'deactivated' | 'ended'>(16),
    createdAt: column.instant(),
    /** Behind the truth by up to a minute. */
    seenAt: column.instant(),
    userAgent: column.text(),
    ipAddress: column.text(),
  },
  indexes: [
    // the key of an account that ended with its client may be bound again
    {
      name: 'uq_acme_server_accounts_key',
      columns: ['thumbprint'],
      unique: true,
      where: "status <> 'ended'",
    },
    { columns: ['clientId', 'seenAt'] },
    { columns: ['spaceId'] },
  ],
});

/** An account of an ACME client. The row refers to nothing: certificates outlive the client that ordered them. */
export type ServerAccountRow = RowOf<typeof acmeServerAccounts>;
