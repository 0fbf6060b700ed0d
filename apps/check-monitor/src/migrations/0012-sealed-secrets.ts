import {
  addIndexes,
  column,
  createTables,
  defineTable,
  dropIndexes,
  dropTables,
  type Migration,
} from '@certloop/db';

const canaries = defineTable('encryption_canaries', {
  columns: {
    keyId: column.word(32).primary(),
    sealed: column.text(),
    createdAt: column.preciseInstant(),
  },
});

const byHash = [{ columns: ['pingKeyHash'], unique: true }];

/** Secrets are stored encrypted; what is stored in clear is encrypted later, when no earlier version runs. */
export const sealSecrets: Migration = {
  name: '0012-sealed-secrets',
  up: async (runner, dialect) => {
    await createTables(runner, dialect, [canaries]);
    const collation = dialect.collation === undefined ? '' : ` collate "${dialect.collation}"`;
    await runner.query(`alter table projects add column ping_key_hash varchar(64)${collation}`);
    await runner.query(`alter table projects add column sealed_ping_key text${collation}`);
    await addIndexes(runner, 'projects', byHash);
  },
  down: async (runner) => {
    await dropIndexes(runner, 'projects', byHash);
    await runner.query('alter table projects drop column sealed_ping_key');
    await runner.query('alter table projects drop column ping_key_hash');
    await dropTables(runner, [canaries]);
  },
};
