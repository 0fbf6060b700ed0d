import type { AcmeAccount } from '@certloop/contracts';
import type { AcmeLinks } from '../protocol/acme-links.js';
import type { Account } from '../records/records.js';

/** Account (RFC 8555 §7.1.2). */
export function accountView(account: Account, links: AcmeLinks): AcmeAccount {
  const { id, contacts, termsAgreed, externalAccountBinding, deactivatedAt } = account;
  return {
    status: deactivatedAt === undefined ? 'valid' : 'deactivated',
    contact: [...contacts],
    ...(termsAgreed && { termsOfServiceAgreed: true }),
    ...(externalAccountBinding !== undefined && { externalAccountBinding: { ...externalAccountBinding } }),
    orders: links.of('accountOrders', { id }),
  };
}
