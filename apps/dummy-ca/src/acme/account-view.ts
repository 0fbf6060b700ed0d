import type { AcmeAccount } from '@certloop/contracts';
import type { Account } from './account.js';
import type { AcmeLinks } from './acme-links.js';

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
