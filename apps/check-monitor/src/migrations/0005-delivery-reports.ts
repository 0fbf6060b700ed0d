import type { Migration } from '@certloop/db';

/** A service that carries a message names it by its delivery when it reports the result. */
export const addDeliveryReports: Migration = {
  name: '0005-delivery-reports',
  up: async (runner) => {
    await runner.query('create unique index uq_notifications_delivery_id on notifications (delivery_id)');
  },
  down: async (runner) => {
    await runner.query('drop index uq_notifications_delivery_id');
  },
};
