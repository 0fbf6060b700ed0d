import type { Migration } from '@certloop/db';

/** Accounts whose CA refuses other contact addresses still order; the refusal is stored. */
export const addContactRefusals: Migration = {
  name: '0039-contact-refusals',
  up: async (runner, dialect) => {
    await runner.query(`alter table acme_accounts add column contact_refusal ${dialect.types.json}`);
  },
  down: async (runner) => {
    await runner.query('alter table acme_accounts drop column contact_refusal');
  },
};
