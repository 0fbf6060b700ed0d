// Leaves the totals of each package and the slowest files in a file, for the end of `npm test`.
import { writeFileSync } from 'node:fs';
import { basename, relative, sep } from 'node:path';
import { packageFolders } from './packages.mjs';

/** Where a run leaves them, by its name. */
export function totalsFileOf(run) {
  return new URL(`../../node_modules/.certloop-totals-${run}.json`, import.meta.url);
}

export default class TotalsReporter {
  onTestRunEnd(testModules, unhandledErrors) {
    const packages = {};
    const files = [];
    for (const testModule of testModules) {
      const folder = packageFolders.find((each) => testModule.moduleId.startsWith(`${each}${sep}`));
      const name = basename(folder);
      packages[name] ??= { passed: 0, failed: 0, skipped: 0, ms: 0 };
      const { collectDuration, duration } = testModule.diagnostic();
      const results = { ...resultsOf(testModule), ms: collectDuration + duration };
      for (const key of Object.keys(results)) packages[name][key] += results[key];
      const file = relative(folder, testModule.moduleId).replace(/^dist[/\\]/, '');
      files.push({ file: `${name}/${file.replace(/\.js$/, '.ts')}`, ms: results.ms });
    }
    const slowest = files.toSorted((one, other) => other.ms - one.ms).slice(0, 10);
    const run = process.env.CERTLOOP_TEST_TOTALS ?? 'alone';
    const errors = unhandledErrors.length;
    writeFileSync(totalsFileOf(run), JSON.stringify({ packages, slowest, errors }));
  }
}

/** How many tests of a file passed, failed and were skipped. */
function resultsOf(testModule) {
  const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
  const tests = [...testModule.children.allTests()];
  for (const test of tests) counts[test.result().state] += 1;
  const { passed, skipped, pending } = counts;
  const suites = [testModule, ...testModule.children.allSuites()];
  // A suite whose hooks threw and a file that could not run are failures, though no test of them ran.
  const broken = suites.filter((suite) => suite.errors().length > 0).length;
  const failed = counts.failed + pending + broken;
  return { passed, failed: tests.length === 0 ? Math.max(failed, 1) : failed, skipped };
}
