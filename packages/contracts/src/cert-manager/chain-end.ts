import * as scalars from '../scalars.js';

/** When the first intermediate of a certificate's chain ends, beside `expiresAt`, the end of the certificate itself. */
export const chainExpiresAt = scalars.instant
  .optional()
  .describe(
    'when the first intermediate of the chain ends, after which clients refuse the certificate; absent if none ends before `expiresAt`',
  );
