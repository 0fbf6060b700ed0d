import { addIndexes, dropIndexes, type Migration } from '@certloop/db';

const once = [{ columns: ['fqdnId', 'serialNumber', 'leafSha256'], unique: true }];

/**
 * An FQDN has a certificate once. What is there has no fingerprint, so that the index takes what earlier versions
 * stored twice; it is found by its serial number, and its fingerprint is made when it is needed.
 */
export const storeCertificatesOnce: Migration = {
  name: '0022-certificates-once',
  up: async (runner, dialect) => {
    // by plain SQL: TypeORM would copy the whole table on SQLite
    const collation = dialect.collation === undefined ? '' : ` collate "${dialect.collation}"`;
    await runner.query(
      `alter table certificates add column leaf_sha256 ${dialect.types.word}(64)${collation}`,
    );
    await addIndexes(runner, 'certificates', once);
  },
  down: async (runner) => {
    await dropIndexes(runner, 'certificates', once);
    await runner.query('alter table certificates drop column leaf_sha256');
  },
};
