import { randomBytes } from 'node:crypto';
import { requireServer } from './postgres-databases.js';
import { startPostgres } from './postgres-server.js';
import { makeRunFolder } from './scratch.js';
import { keepServer } from './server-of-run.js';

/**
 * Provides the PostgreSQL of a run of tests: the server at TEST_DATABASE_URL, else one of its own.
 * Fails when neither can be had, unless CERTLOOP_TEST_SQLITE_ONLY=1 leaves PostgreSQL out.
 */
export async function setup(): Promise<void> {
  process.env['CERTLOOP_TEST_RUN'] = randomBytes(4).toString('hex');
  makeRunFolder();
  if (process.env['CERTLOOP_TEST_SQLITE_ONLY'] === '1') return;
  const given = process.env['TEST_DATABASE_URL'] ?? '';
  if (given !== '') {
    process.env['CERTLOOP_TEST_POSTGRES'] = given;
    return requireServer();
  }
  const server = await startPostgres();
  keepServer(server);
  process.env['CERTLOOP_TEST_POSTGRES'] = server.url;
}
