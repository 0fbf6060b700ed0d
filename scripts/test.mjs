// Runs the tests of every package and ends with the slowest files, the totals of each package, and those of all. A
// package whose tests did not report counts as failed: silence is no success.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageFolders } from './tests/packages.mjs';
import { totalsFileOf } from './tests/totals-reporter.mjs';

const vitest = fileURLToPath(new URL('vitest.mjs', import.meta.resolve('vitest/package.json')));

// Three runs at once. End-to-end tests wait for other processes half of their time, so they run beside the workers of the
// packages; one after the other, as two stacks at once leave a log-in too little of the gate's two cores. The ways to run
// wait two thirds of their time, each in a machine of its own, and have a third of the time of all end-to-end tests.
const ways = '**/start/ways-to-run.test.js';
const runs = [
  { run: 'stacks', args: ['packages/e2e/', '--exclude', ways, '--maxWorkers', '1'] },
  { run: 'ways', args: ['start/ways-to-run', '--maxWorkers', '1'] },
  { run: 'packages', args: ['--exclude', 'packages/e2e/**'] },
];

// what else the machine has set reaches no test
const passedOn = [
  'PATH',
  'HOME',
  'USER',
  'SHELL',
  'TZ',
  'LANG',
  'TMPDIR',
  'TMP',
  'TEMP',
  'TERM',
  'COLORTERM',
  'NODE_OPTIONS',
  'SystemRoot',
  'APPDATA',
  'LOCALAPPDATA',
  'CI',
  'CERTLOOP_TEST_SQLITE_ONLY',
  'TEST_DATABASE_URL',
  'CHROMIUM_PATH',
  'STORY_TRACE',
];
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => passedOn.includes(name)));

// Ctrl-C reaches the runs too, which clean up before they end
process.on('SIGINT', () => undefined);

const results = await Promise.all(runs.map(testsOf));
const packages = {};
for (const [name, totals] of results.flatMap((result) => Object.entries(result.packages))) {
  packages[name] = { passed: 0, failed: 0, skipped: 0, ms: 0, ...packages[name] };
  for (const key of Object.keys(totals)) packages[name][key] += totals[key];
}
const slowest = results.flatMap((result) => result.slowest).toSorted((one, other) => other.ms - one.ms);
const sums = { passed: 0, failed: 0, skipped: 0, ms: 0 };

for (const { file, ms } of slowest.slice(0, 10)) process.stdout.write(`${seconds(ms)} s  ${file}\n`);
for (const folder of packageFolders) {
  const name = basename(folder);
  const totals = packages[name];
  if (totals === undefined) {
    process.stderr.write(`certloop: the tests of ${name} did not run\n`);
    sums.failed += 1;
    continue;
  }
  for (const key of Object.keys(sums)) sums[key] += totals[key];
  process.stdout.write(`${seconds(totals.ms)} s  ${name}: ${sentenceOf(totals)}\n`);
}
// what was thrown outside of tests
for (const { errors } of results) sums.failed += errors;
process.stdout.write(`${sentenceOf(sums)}\n`);
const areGood = results.every(({ status }) => status === 0);
process.exitCode = areGood && sums.failed === 0 ? 0 : 1;

async function testsOf({ run, args }) {
  const totalsFile = totalsFileOf(run);
  rmSync(totalsFile, { force: true });
  const colors = process.stderr.isTTY ? ['--color'] : [];
  const child = spawn(process.execPath, [vitest, 'run', ...args, ...colors], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: { ...env, CERTLOOP_TEST_TOTALS: run },
    // by pipes, as the status lines that a run draws on a terminal would overwrite those of the other
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.pipe(process.stdout);
  child.stderr.pipe(process.stderr);
  const [status] = await once(child, 'close');
  const totals = existsSync(totalsFile) ? JSON.parse(readFileSync(totalsFile, 'utf8')) : undefined;
  return { status, packages: {}, slowest: [], errors: 0, ...totals };
}

function seconds(ms) {
  return (ms / 1000).toFixed(1).padStart(6);
}

function sentenceOf({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
