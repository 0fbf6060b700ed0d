import {
  addIndexes,
  column,
  createTables,
  defineTable,
  dropIndexes,
  dropTables,
  type Migration,
} from '@certloop/db';

const name = 'ix_certificates_in_use';
const columns = ['expiresAt', 'fqdnId'];
const before = [{ name, columns, where: 'replaced_at is null' }];
const after = [{ name, columns, where: 'replaced_at is null and revoked_at is null' }];

const pendingRevocations = defineTable('pending_revocations', {
  columns: {
    id: column.uuid().primary(),
    fqdnId: column.uuid(),
    spaceId: column.uuid(),
    fqdn: column.word(253),
    providerId: column.uuid(),
    pem: column.text(),
    serialNumber: column.text(),
    spkiSha256: column.word(64),
    expiresAt: column.instant(),
    reason: column.word(32),
    caller: column.json(),
    askedAt: column.instant(),
    attempts: column.integer(),
    dueAt: column.instant(),
  },
  indexes: [{ columns: ['dueAt', 'id'] }],
});

/** A revoked certificate is not in use; what a CA is asked to revoke is on disk before. */
export const addRevocations: Migration = {
  name: '0016-revocations',
  up: async (runner, dialect) => {
    // by plain SQL: TypeORM would copy the whole table on SQLite
    await runner.query(`alter table certificates add column revoked_at ${dialect.types.instant}`);
    const collation = dialect.collation === undefined ? '' : ` collate "${dialect.collation}"`;
    await runner.query(`alter table certificates add column revocation_reason varchar(32)${collation}`);
    await dropIndexes(runner, 'certificates', before);
    await addIndexes(runner, 'certificates', after);
    await createTables(runner, dialect, [pendingRevocations]);
  },
  down: async (runner) => {
    await dropTables(runner, [pendingRevocations]);
    await dropIndexes(runner, 'certificates', after);
    await addIndexes(runner, 'certificates', before);
    await runner.query('alter table certificates drop column revocation_reason');
    await runner.query('alter table certificates drop column revoked_at');
  },
};
