import type { Migration } from '@certloop/db';

/** Providers of any number: each names its kind, but for the first of each kind, which is named after it. */
export const addProviderKinds: Migration = {
  name: '0015-provider-kinds',
  up: async (runner, dialect) => {
    const collation = dialect.collation === undefined ? '' : ` collate "${dialect.collation}"`;
    // by plain SQL: TypeORM would copy the table on SQLite, to which others refer
    await runner.query(`alter table providers add column kind ${dialect.types.word}(32)${collation}`);
  },
  down: async (runner) => {
    // the version before knows none but the first ones
    const others = '(select id from providers where kind is not null)';
    for (const table of ['issuance_jobs', 'renewal_queue', 'acme_accounts'])
      await runner.query(`delete from ${table} where provider_id in ${others}`);
    for (const table of ['fqdns', 'certificates'])
      await runner.query(`update ${table} set provider_id = null where provider_id in ${others}`);
    await runner.query('delete from providers where kind is not null');
    await runner.query('alter table providers drop column kind');
  },
};
