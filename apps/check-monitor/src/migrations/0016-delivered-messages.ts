import type { Migration } from '@certloop/db';

/** When an integration last delivered a message with the settings that it has. */
export const storeDeliveries: Migration = {
  name: '0016-delivered-messages',
  up: async (runner) => {
    await runner.query('alter table channels add column last_delivered_at bigint');
  },
  down: async (runner) => {
    await runner.query('alter table channels drop column last_delivered_at');
  },
};
