import { addIndexes, dropIndexes, type Migration } from '@certloop/db';

const indexes = [
  {
    name: 'ix_certificates_unread_key',
    columns: ['id'],
    where: 'replaced_at is null and key_kind is null',
  },
];

/**
 * The key and the authority of a certificate, by which names are counted and found. The service reads those of the newest
 * certificates that are there after its start, in slices.
 */
export const addCertificateKeys: Migration = {
  name: '0046-certificate-keys',
  up: async (runner, dialect) => {
    const collation = dialect.collation === undefined ? '' : ` collate "${dialect.collation}"`;
    const word = (length: number) => `${dialect.types.word}(${length})${collation}`;
    await runner.query(`alter table certificates add column key_kind ${word(24)}`);
    await runner.query(`alter table certificates add column authority_sha256 ${word(64)}`);
    await addIndexes(runner, 'certificates', indexes);
  },
  down: async (runner) => {
    await dropIndexes(runner, 'certificates', indexes);
    await runner.query('alter table certificates drop column authority_sha256');
    await runner.query('alter table certificates drop column key_kind');
  },
};
