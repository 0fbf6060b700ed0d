// Runs the tests of every package and ends with the slowest files, the totals of each package, and those of all. A
// package whose tests did not report counts as failed: silence is no success.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageFolders } from './jest/packages.mjs';
import { totalsFile } from './totals-reporter.mjs';

// the packages' own jest
const jest = createRequire(new URL('../packages/db/package.json', import.meta.url)).resolve('jest/bin/jest');
const config = fileURLToPath(new URL('jest/every-package.mjs', import.meta.url));

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
];
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => passedOn.includes(name)));

rmSync(totalsFile, { force: true });
const { status } = spawnSync(process.execPath, [jest, '--config', config], {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  env,
  stdio: ['ignore', 'inherit', 'inherit'],
});

const { packages, slowest } = existsSync(totalsFile)
  ? JSON.parse(readFileSync(totalsFile, 'utf8'))
  : { packages: {}, slowest: [] };
const sums = { passed: 0, failed: 0, skipped: 0, ms: 0 };

for (const { file, ms } of slowest) process.stdout.write(`${seconds(ms)} s  ${file}\n`);
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
process.stdout.write(`${sentenceOf(sums)}\n`);
process.exitCode = status === 0 && sums.failed === 0 ? 0 : 1;

function seconds(ms) {
  return (ms / 1000).toFixed(1).padStart(6);
}

function sentenceOf({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
