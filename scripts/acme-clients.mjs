// Runs all ACME clients that this machine has against a stack, with certificates of dummy-ca and of pebble, and prints
// a table for docs/acme-clients.md. It fetches those of Debian's next release and acme-client of npm into run/.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { tableOfTest } from './table-of-test.mjs';

const inProject = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

if (!existsSync(inProject('run/clients-of-today')))
  spawnSync(process.execPath, [inProject('scripts/clients-of-today.mjs')], { stdio: 'inherit' });
const folder = inProject('run/acme-client-of-npm');
mkdirSync(folder, { recursive: true });
const args = ['install', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', folder];
spawnSync('npm', [...args, 'acme-client@5.4.0'], { stdio: 'inherit' });

const { rows, exitCode } = tableOfTest({
  filter: '@certloop/e2e',
  word: 'acme-clients',
  variable: 'CERTLOOP_ACME_CLIENTS_TABLE',
});
process.stdout.write(`| Client | Shows | Certificates of | Passed |\n|---|---|---|---|\n${rows}`);
process.exitCode = exitCode;
