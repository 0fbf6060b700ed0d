// Every package, for runs over several: no core waits for the last file of a package, and one PostgreSQL serves a run.
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import base from '../../jest.config.mjs';
import { packageFolders } from './packages.mjs';

/** What holds for a run, and not for a package. */
const { maxWorkers, workerIdleMemoryLimit, reporters } = base;

async function projectOf(rootDir) {
  const { default: config } = await import(join(rootDir, 'jest.config.mjs'));
  const { maxWorkers: _workers, workerIdleMemoryLimit: _limit, reporters: _reporters, ...project } = config;
  return { ...project, rootDir, displayName: basename(rootDir) };
}

export default {
  rootDir: fileURLToPath(new URL('../..', import.meta.url)),
  projects: await Promise.all(packageFolders.map(projectOf)),
  testSequencer: fileURLToPath(new URL('sequencer.mjs', import.meta.url)),
  maxWorkers,
  workerIdleMemoryLimit,
  reporters,
};
