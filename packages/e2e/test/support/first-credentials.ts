import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { builtInCaller, internalOrigin } from '@certloop/cert-manager/dist/src/access/caller.js';
import { schema as managerSchema } from '@certloop/cert-manager/dist/src/database.js';
import { createAdmin } from '@certloop/cert-manager/dist/src/users/accounts.service.js';
import { createApiToken } from '@certloop/cert-manager/dist/src/users/api-tokens/api-tokens.service.js';
import { setPassword } from '@certloop/check-monitor/dist/src/accounts/passwords.service.js';
import { schema as monitorSchema } from '@certloop/check-monitor/dist/src/database.js';
import { microsOf } from '@certloop/check-monitor/dist/src/instants.js';
import { setUpProject } from '@certloop/check-monitor/dist/src/projects/create-project.service.js';
import { type Database, openDatabase } from '@certloop/db';
import { createPasswords, systemClock } from '@certloop/server';
import { type Credentials, storeCredentials } from '../../src/credentials.js';
import { prepareFolder } from '../../src/first-start.js';
import type { DatabaseUrls } from '../../src/plan.js';

// a log-in hashes it again at the usual cost
const passwords = createPasswords({ N: 16, r: 1, p: 1 });

/**
 * Leaves the credentials of an earlier start in the folder of a stack, whose migrated databases these are. A first
 * start would run three commands and log in, which takes more of the processor than the rest of it; `credentials.test`
 * has first starts.
 */
export async function prepareCredentials(dataDir: string, databaseUrls: DatabaseUrls): Promise<void> {
  const { monitorSecret } = await prepareFolder(dataDir);
  const secret = (await readFile(monitorSecret, 'utf8')).trim();
  await storeCredentials(dataDir, {
    certManager: await withDatabase(databaseUrls.certManager, managerSchema, makeAdministrator),
    checkMonitor: await withDatabase(databaseUrls.checkMonitor, monitorSchema, (db) =>
      makeProjects(db, secret),
    ),
    dummyCa: { url: '' },
  });
}

async function withDatabase<T>(
  url: string,
  schema: Parameters<typeof openDatabase>[0]['schema'],
  use: (db: Database) => Promise<T>,
): Promise<T> {
  const db = await openDatabase({ url, schema });
  try {
    return await use(db);
  } finally {
    await db.close();
  }
}

async function makeAdministrator(db: Database): Promise<Credentials['certManager']> {
  const deps = { db, clock: systemClock, passwords, passwordMinLength: 8 };
  const [username, password] = ['admin', randomBytes(18).toString('base64url')];
  const caller = builtInCaller('cli', internalOrigin(randomUUID()));
  const { id } = await createAdmin(deps, caller, { username, email: 'admin@localhost.test', password });
  const session = { ...caller, kind: 'user', userId: id, username, sessionId: randomUUID() } as const;
  const { text } = await createApiToken(deps, session, { name: 'npm start', scope: 'ADMIN' });
  return { url: '', username, password, token: text };
}

async function makeProjects(db: Database, secret: string): Promise<Credentials['checkMonitor']> {
  const deps = { db, secret, clock: { now: () => microsOf(new Date()) }, passwords };
  const [email, password] = ['stack@localhost.test', randomBytes(18).toString('base64url')];
  const owner = { email, checkLimit: 1_000_000, pingLimit: null };
  const { readWriteKey, readOnlyKey, pingKey } = await setUpProject(deps, owner, 'CertLoop');
  const canary = await setUpProject(deps, owner, 'CertLoop canary');
  await setPassword(deps, email, password);
  return { url: '', readWriteKey, readOnlyKey, pingKey, canaryKey: canary.readWriteKey, email, password };
}
