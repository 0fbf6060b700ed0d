// A cert-manager with a dummy CA of its own on a new database, and an administrator's token for it.
import { join } from 'node:path';
import { schema } from '../../apps/cert-manager/dist/src/database.js';
import { createCertManagerClient } from '../../packages/contracts/dist/src/index.js';
import { openDatabase } from '../../packages/db/dist/src/index.js';
import { issueToken } from '../../packages/e2e/dist/src/credential-checks.js';
import { startService } from '../services.mjs';

export const administrator = { username: 'bench', password: 'figures of a bench' };

/**
 * What `work` makes of the place: { manager, ca, client, token, database, runSql, providerId }. `database` is a
 * second way to what the manager stores, for seeding.
 */
export async function withManager({ url, folder, dialect }, work, environment = {}) {
  const ca = await startService('dummy-ca');
  const manager = await startService('cert-manager', {
    CERT_MANAGER_DATABASE_URL: url,
    CERT_MANAGER_SETUP_TOKEN_FILE: join(folder, 'setup-token'),
    BOOTSTRAP_ADMIN_USERNAME: administrator.username,
    BOOTSTRAP_ADMIN_EMAIL: 'bench@example.test',
    BOOTSTRAP_ADMIN_PASSWORD: administrator.password,
    DUMMY_CA_URL: ca.url,
    ...environment,
  });
  const database = await openDatabase({ url, schema });
  try {
    const token = await issueToken(manager.url, administrator);
    const client = createCertManagerClient({ baseUrl: manager.url, token });
    const { body: providers } = await client.listProviders();
    const { id: providerId } = providers.find(({ name }) => name === 'dummy-ca');
    const runSql = (text) => database.longTransaction((tx) => tx.query(text));
    return await work({ dialect, url, manager, ca, client, token, database, runSql, providerId });
  } finally {
    await database.close();
    await manager.stop();
    await ca.stop();
  }
}

/** Request with the administrator's token, as measure.mjs takes it. */
export function asAdministrator({ manager, token }, path) {
  return { url: `${manager.url}${path}`, headers: { authorization: `Bearer ${token}` } };
}
