import { dropDatabasesOfRun, isServerGiven } from './postgres-databases.js';
import { removeRunFolder } from './scratch.js';
import { stopServer } from './server-of-run.js';

/** Removes what the run left on a server that was given, or stops its own. */
export async function teardown(): Promise<void> {
  if (isServerGiven()) await dropDatabasesOfRun();
  await stopServer();
  removeRunFolder();
}
