// Leaves the totals of each package and the slowest files in a file, for the end of `npm test`.
import { writeFileSync } from 'node:fs';
import { basename, relative, sep } from 'node:path';
import { packageFolders } from './jest/packages.mjs';

/** Where a run leaves them, by its name. */
export function totalsFileOf(run) {
  return new URL(`../node_modules/.certloop-totals-${run}.json`, import.meta.url);
}

export default class TotalsReporter {
  onRunComplete(_, { testResults }) {
    const packages = {};
    const files = [];
    for (const { testFilePath, perfStats, testExecError, ...result } of testResults) {
      const folder = packageFolders.find((each) => testFilePath.startsWith(`${each}${sep}`));
      const name = basename(folder);
      packages[name] ??= { passed: 0, failed: 0, skipped: 0, ms: 0 };
      const ms = perfStats.end - perfStats.start;
      const totals = packages[name];
      totals.passed += result.numPassingTests;
      // A file that could not run is a failure, though no test of it ran.
      totals.failed += result.numFailingTests + (testExecError ? 1 : 0);
      totals.skipped += result.numPendingTests + result.numTodoTests;
      totals.ms += ms;
      const file = relative(folder, testFilePath).replace(/^dist[/\\]/, '');
      files.push({ file: `${name}/${file.replace(/\.js$/, '.ts')}`, ms });
    }
    const slowest = files.toSorted((one, other) => other.ms - one.ms).slice(0, 10);
    const run = process.env.CERTLOOP_TEST_TOTALS ?? 'alone';
    writeFileSync(totalsFileOf(run), JSON.stringify({ packages, slowest }));
  }
}
