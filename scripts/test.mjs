// Runs the tests of every package and ends with the slowest files and the totals. A package whose tests did not
// report counts as failed: silence is no success.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { slowestOf, totalsFolder } from './totals-reporter.mjs';

const root = new URL('..', import.meta.url);
const packages = ['apps', 'packages', 'web'].flatMap((folder) =>
  readdirSync(new URL(`${folder}/`, root), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name),
);

rmSync(totalsFolder, { recursive: true, force: true });
const { status } = spawnSync(
  process.execPath,
  [
    fileURLToPath(new URL('pnpm.mjs', import.meta.url)),
    ...['exec', 'turbo', 'run', 'test', '--continue', '--output-logs=full', '--log-order=grouped'],
    // Each package keeps both cores busy by itself.
    '--concurrency=1',
  ],
  { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] },
);

const sums = { passed: 0, failed: 0, skipped: 0 };
const files = [];
for (const name of packages) {
  const file = new URL(`${name}.json`, totalsFolder);
  if (!existsSync(file)) {
    process.stderr.write(`certloop: the tests of ${name} did not run\n`);
    sums.failed += 1;
    continue;
  }
  const totals = JSON.parse(readFileSync(file, 'utf8'));
  for (const key of Object.keys(sums)) sums[key] += totals[key];
  files.push(...totals.slowest.map(({ file, ms }) => ({ file: `${name}/${file}`, ms })));
}
for (const { file, ms } of slowestOf(files)) {
  process.stdout.write(`${(ms / 1000).toFixed(1).padStart(6)} s  ${file}\n`);
}
const skipped = sums.skipped > 0 ? `, ${sums.skipped} skipped` : '';
process.stdout.write(`${sums.passed} passed, ${sums.failed} failed${skipped}\n`);
process.exitCode = status === 0 && sums.failed === 0 ? 0 : 1;
