// Leaves a package's totals and its slowest files in a file, so that `npm test` can add up all packages.
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';

export const totalsFolder = new URL('../node_modules/.certloop-totals/', import.meta.url);

/** The slowest of some `{ file, ms }`, the slowest first. */
export function slowestOf(files) {
  return files.toSorted((one, other) => other.ms - one.ms).slice(0, 10);
}

export default class TotalsReporter {
  #rootDir;

  constructor({ rootDir }) {
    this.#rootDir = rootDir;
  }

  onRunComplete(_, results) {
    const files = results.testResults.map(({ testFilePath, perfStats: { start, end } }) => ({
      file: relative(join(this.#rootDir, 'dist'), testFilePath).replace(/js$/, 'ts'),
      ms: end - start,
    }));
    const totals = {
      slowest: slowestOf(files),
      passed: results.numPassedTests,
      // A file that could not run is a failure, though no test of it ran.
      failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
      skipped: results.numPendingTests + results.numTodoTests,
    };
    mkdirSync(totalsFolder, { recursive: true });
    const file = join(totalsFolder.pathname, `${basename(this.#rootDir)}.json`);
    writeFileSync(file, JSON.stringify(totals));
  }
}
