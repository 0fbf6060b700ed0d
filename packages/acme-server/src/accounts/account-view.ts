import type { AcmeAccount, AcmeAccountStatus } from '@certloop/contracts';
import type { AcmeLinks } from '../protocol/acme-links.js';
import type { Account } from '../records/records.js';

/** Account (RFC 8555 §7.1.2). */
export function accountView(account: Account, links: AcmeLinks): AcmeAccount {
  const { id, contacts, termsAgreed, externalAccountBinding } = account;
  return {
    status: accountStatus(account),
    contact: [...contacts],
    ...(termsAgreed && { termsOfServiceAgreed: true }),
    ...(externalAccountBinding !== undefined && { externalAccountBinding: { ...externalAccountBinding } }),
    orders: links.of('accountOrders', { id }),
  };
}

/** Status of an account (RFC 8555 §7.1.6). */
function accountStatus({ deactivatedAt, revokedAt }: Account): AcmeAccountStatus {
  if (revokedAt !== undefined) return 'revoked';
  return deactivatedAt === undefined ? 'valid' : 'deactivated';
}
