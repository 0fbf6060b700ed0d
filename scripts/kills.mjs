// Kills the managers of a database under all kinds of work, 200 times on both databases together or CERTLOOP_KILLS times on each, and
// prints what became of the certificates as a table for docs/reliability.md. CERTLOOP_KILLS_SEED repeats a run.
import { tableOfTest } from './table-of-test.mjs';

const { rows, exitCode } = tableOfTest({
  filter: '@certloop/e2e',
  word: 'kill-mixed-work',
  variable: 'CERTLOOP_KILLS_TABLE',
  environment: { CERTLOOP_KILLS: '100' },
});
process.stdout.write(`| Database | Seed | Kills | Issued | Stored | Never stored | Stored twice | Answered and lost | Answered | Shared | Cancelled |
|---|---|---|---|---|---|---|---|---|---|---|
${rows}`);
process.exitCode = exitCode;
