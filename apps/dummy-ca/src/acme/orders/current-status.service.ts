import type { AcmeOrderStatus } from '@certloop/contracts';
import type { AcmeDeps } from '../acme-deps.service.js';
import { authorizationStatus, orderStatus } from '../records/order-status.js';
import type { Order } from '../records/records.js';

/** Status of an order at this moment; an authorization that was pushed out of memory has expired. */
export function statusOf({ store, clock }: Pick<AcmeDeps, 'store' | 'clock'>, order: Order): AcmeOrderStatus {
  const now = clock.now();
  const authorizations = order.authorizationIds.map((id) => {
    const authorization = store.findAuthorization(id);
    return authorization === undefined ? 'expired' : authorizationStatus(authorization, now);
  });
  return orderStatus({ ...order, authorizations }, now);
}
