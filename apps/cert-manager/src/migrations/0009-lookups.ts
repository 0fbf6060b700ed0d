import type { Migration } from '@certloop/db';

/** Finds administrators among users, and certificates by what their provider calls them. */
export const addLookups: Migration = {
  name: '0009-lookups',
  up: async (runner) => {
    await runner.query('create index ix_users_is_admin_enabled_id on users (is_admin, enabled, id)');
    await runner.query(
      'create index ix_certificates_provider_id_upstream_id on certificates (provider_id, upstream_id)',
    );
    await runner.query('drop index ix_certificates_provider_id');
  },
  down: async (runner) => {
    await runner.query('create index ix_certificates_provider_id on certificates (provider_id)');
    await runner.query('drop index ix_certificates_provider_id_upstream_id');
    await runner.query('drop index ix_users_is_admin_enabled_id');
  },
};
