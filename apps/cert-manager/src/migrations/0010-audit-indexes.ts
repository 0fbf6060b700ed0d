import { addIndexes, dropIndexes, type Migration } from '@certloop/db';

const indexes = [
  { columns: ['username', 'id'] },
  { columns: ['resourceType', 'id'] },
  { columns: ['outcome', 'id'] },
  { columns: ['ipKey', 'id'] },
];

/** Every filter of the audit log but the text search reads an index. */
export const addAuditIndexes: Migration = {
  name: '0010-audit-indexes',
  up: (runner) => addIndexes(runner, 'audit_logs', indexes),
  down: (runner) => dropIndexes(runner, 'audit_logs', indexes),
};
