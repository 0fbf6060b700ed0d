import { addIndexes, dropIndexes, type Migration } from '@certloop/db';

const before = [{ columns: ['expiresAt'] }];
const inUse = [
  { name: 'ix_certificates_in_use', columns: ['expiresAt', 'fqdnId'], where: 'replaced_at is null' },
];

/** An index finds the newest certificates of FQDNs by expiry, however many certificates they replaced. */
export const markReplaced: Migration = {
  name: '0011-certificates-in-use',
  up: async (runner, dialect) => {
    // by plain SQL: TypeORM would copy the whole table on SQLite
    await runner.query(`alter table certificates add column replaced_at ${dialect.types.instant}`);
    const newer = `from certificates n where n.fqdn_id = certificates.fqdn_id
      and (n.created_at, n.id) > (certificates.created_at, certificates.id)`;
    await runner.query(
      `update certificates set replaced_at = (select min(n.created_at) ${newer}) where exists (select 1 ${newer})`,
    );
    await addIndexes(runner, 'certificates', inUse);
    await dropIndexes(runner, 'certificates', before);
  },
  down: async (runner) => {
    await addIndexes(runner, 'certificates', before);
    await dropIndexes(runner, 'certificates', inUse);
    await runner.query('alter table certificates drop column replaced_at');
  },
};
