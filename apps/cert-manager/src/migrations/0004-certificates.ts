import { column, createTables, defineTable, dropTables, type Migration } from '@certloop/db';

const certificates = defineTable('certificates', {
  columns: {
    id: column.uuid().primary(),
    fqdnId: column.uuid(),
    csrId: column.uuid().nullable(),
    providerId: column.uuid().nullable(),
    upstreamId: column.text().nullable(),
    pem: column.text(),
    issuer: column.text(),
    serialNumber: column.text(),
    spkiSha256: column.word(64),
    notBefore: column.instant(),
    expiresAt: column.instant(),
    createdAt: column.instant(),
    refreshedAt: column.instant().nullable(),
  },
  indexes: [
    { columns: ['fqdnId', 'createdAt', 'id'] },
    { columns: ['csrId'] },
    { columns: ['providerId'] },
    { columns: ['expiresAt'] },
  ],
  references: [
    { columns: ['fqdnId'], table: 'fqdns', onDelete: 'CASCADE' },
    { columns: ['csrId'], table: 'csrs', onDelete: 'SET NULL' },
    { columns: ['providerId'], table: 'providers', onDelete: 'SET NULL' },
  ],
});

const jobRuns = defineTable('job_runs', {
  columns: {
    job: column.word(64).primary(),
    succeededAt: column.instant(),
    report: column.text(),
  },
});

const tables = [certificates, jobRuns];

export const addCertificates: Migration = {
  name: '0004-certificates',
  up: (runner, dialect) => createTables(runner, dialect, tables),
  down: (runner) => dropTables(runner, tables),
};
