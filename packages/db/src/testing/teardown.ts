import { dropDatabasesOfRun, isServerGiven } from './postgres-databases.js';
import { removeRunFolder } from './scratch.js';
import { stopServer } from './server-of-run.js';

/** Removes what the run left on a server that was given, or stops its own. */
// biome-ignore lint/style/noDefaultExport: jest calls the default export of a globalTeardown
export default async function tearDown(): Promise<void> {
  if (isServerGiven()) await dropDatabasesOfRun();
  await stopServer();
  removeRunFolder();
}
