// Kills certloop pull before each of its steps, fills its disk and makes it read-only there, with nginx as the server, and
// prints what became of the certificates as a table for docs/certificates-on-a-machine.md. Needs root for the disk.
import { tableOfTest } from './table-of-test.mjs';

const { rows, exitCode } = tableOfTest({
  filter: '@certloop/e2e',
  word: 'pull-faults',
  variable: 'CERTLOOP_PULL_TABLE',
  environment: { CERTLOOP_PULL_STEPS: 'all' },
});
process.stdout.write(`| Fault | While | Steps | Newest certificate served by the next run | Served without its key | Keys lost |
|---|---|---|---|---|---|
${rows}`);
process.exitCode = exitCode;
