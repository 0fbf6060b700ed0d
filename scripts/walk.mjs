// Replays docs/walk.md on this machine, with a process for each command as people start them, and prints the table of
// the page: steps, commands and seconds.
import { tableOfTest } from './table-of-test.mjs';

const { rows, exitCode } = tableOfTest({
  filter: '@certloop/e2e',
  word: 'walk.test',
  variable: 'CERTLOOP_WALK_TABLE',
  environment: { CERTLOOP_TEST_SQLITE_ONLY: '1' },
});
process.stdout.write(`| Step | Commands | Seconds |\n|---|---|---|\n${rows}`);
process.exitCode = exitCode;
