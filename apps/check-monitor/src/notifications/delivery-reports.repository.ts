import { querySql, type Tx, updateRows } from '@certloop/db';
import type { Micros } from '../instants.js';
import { type Notification, notifications } from './notifications.repository.js';

/** The message of a delivery, if it is not from before `since`. */
export async function findDelivery(
  tx: Tx,
  deliveryId: string,
  since: Micros,
): Promise<Notification | undefined> {
  const text = 'select * from notifications where delivery_id = $1 and created_at > $2';
  const [found] = await querySql(tx, notifications.columns, text, [deliveryId, since]);
  return found;
}

export async function noteDeliveryError(tx: Tx, id: number, error: string): Promise<void> {
  await updateRows(tx, notifications, { id }, { error });
}
