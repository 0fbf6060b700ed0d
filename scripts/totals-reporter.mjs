// Leaves a package's totals in a file, so that `npm test` can add up all packages.
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

export const totalsFolder = new URL('../node_modules/.certloop-totals/', import.meta.url);

export default class TotalsReporter {
  #rootDir;

  constructor({ rootDir }) {
    this.#rootDir = rootDir;
  }

  onRunComplete(_, results) {
    const totals = {
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
