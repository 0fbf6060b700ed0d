import { type AnyTable, type Database, entitiesOf, openDatabase, type Schema } from '@certloop/db';
import type { Logger } from '@certloop/server';
import { auditClearings, auditLogs } from './audit/audit.repository.js';
import { access } from './migrations/0001-access.js';
import {
  permissionGroupMembers,
  permissionGroupSpaces,
  permissionGroups,
} from './permission-groups/permission-groups.repository.js';
import { apiTokens } from './users/api-tokens.repository.js';
import { sessions } from './users/sessions.repository.js';
import { setupMarks, users } from './users/users.repository.js';

const tables: readonly AnyTable[] = [
  users,
  setupMarks,
  sessions,
  apiTokens,
  permissionGroups,
  permissionGroupMembers,
  permissionGroupSpaces,
  auditLogs,
  auditClearings,
];

/** All tables of this service and the steps that lead there, in their order. */
export const schema: Schema = {
  entities: (dialect) => entitiesOf(dialect, tables),
  migrations: [access],
};

/** Opens the database and brings its schema up to date. Throws DatabaseUnavailable. */
export async function openMigrated(url: string, logger: Logger): Promise<Database> {
  const database = await openDatabase({
    url,
    schema,
    onWarning: ({ name, detail }) => logger.warn(detail, name),
  });
  const names = await database.migrate();
  if (names.length > 0) logger.info({ names }, 'database.migrated');
  return database;
}
