import type { Migration } from '@certloop/db';

/** Certificates that servers present or that other tools made, and targets whose certificates are adopted. */
export const addServedCertificates: Migration = {
  name: '0044-served-certificates',
  up: async (runner, dialect) => {
    const collation = dialect.collation === undefined ? '' : ` collate "${dialect.collation}"`;
    // by plain SQL: TypeORM would copy both tables on SQLite
    await runner.query(`alter table certificates add column source ${dialect.types.word}(16)${collation}`);
    await runner.query(`alter table targets add column adopt ${dialect.types.boolean}`);
  },
  down: async (runner) => {
    await runner.query('alter table targets drop column adopt');
    await runner.query('alter table certificates drop column source');
  },
};
