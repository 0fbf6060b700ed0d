import { column, createTables, defineTable, dropTables, type Migration } from '@certloop/db';

const spacePolicies = defineTable('space_policies', {
  columns: {
    spaceId: column.uuid().primary(),
    revision: column.uuid(),
    allowedNames: column.json().nullable(),
    providerIds: column.json().nullable(),
    reviewedTo: column.word(253).nullable(),
    reviewDueAt: column.instant().nullable(),
  },
  indexes: [{ columns: ['reviewDueAt'], where: 'review_due_at is not null' }],
  references: [{ columns: ['spaceId'], table: 'spaces', onDelete: 'CASCADE' }],
});

const policyRefusals = defineTable('policy_refusals', {
  columns: {
    fqdnId: column.uuid().primary(),
    spaceId: column.uuid(),
    reason: column.text(),
    since: column.instant(),
    triedAt: column.instant().nullable(),
  },
  indexes: [{ columns: ['triedAt'], where: 'tried_at is not null' }],
  references: [{ columns: ['fqdnId'], table: 'fqdns', onDelete: 'CASCADE' }],
});

const tables = [spacePolicies, policyRefusals];

/** Rules of what may be issued in each space, and FQDNs whose renewal that forbids. */
export const addIssuancePolicies: Migration = {
  name: '0017-issuance-policies',
  up: (runner, dialect) => createTables(runner, dialect, tables),
  down: (runner) => dropTables(runner, tables),
};
