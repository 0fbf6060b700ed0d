import { join } from 'node:path';
import { schema as managerSchema } from '@certloop/cert-manager/dist/src/database.js';
import { schema as monitorSchema } from '@certloop/check-monitor/dist/src/database.js';
import { openDatabase } from '@certloop/db';

const databases = [
  { file: 'cert-manager.sqlite', schema: managerSchema, former: '0028-jobs-by-space' },
  { file: 'check-monitor.sqlite', schema: monitorSchema, former: '0008-unique-keys' },
];

/** The migrations that the databases of a stopped stack lack. */
export const pendingMigrations = (dataDir: string) => inDatabases(dataDir, false);

/** Turns the databases of a stopped stack into those of an earlier version; the migrations that they lack then. */
export const revertMigrations = (dataDir: string) => inDatabases(dataDir, true);

async function inDatabases(dataDir: string, reverts: boolean): Promise<string[]> {
  const pending: string[] = [];
  for (const { file, schema, former } of databases) {
    const database = await openDatabase({ url: `sqlite:${join(dataDir, file)}`, schema });
    while (reverts && (await database.pendingMigrations())[0] !== former) await database.revertLast();
    pending.push(...(await database.pendingMigrations()));
    await database.close();
  }
  return pending;
}
