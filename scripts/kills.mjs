// Kills a manager under all kinds of work, 200 times on both databases together or CERTLOOP_KILLS times on each, and
// prints what became of the certificates as a table for docs/reliability.md. CERTLOOP_KILLS_SEED repeats a run.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = mkdtempSync(join(tmpdir(), 'certloop-kills-'));
const table = join(folder, 'table');
const { status } = spawnSync(
  process.execPath,
  [
    fileURLToPath(new URL('pnpm.mjs', import.meta.url)),
    ...['--filter', '@certloop/e2e', 'run', 'test', 'kill-mixed-work'],
  ],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      CERTLOOP_KILLS: process.env.CERTLOOP_KILLS ?? '100',
      CERTLOOP_KILLS_TABLE: table,
    },
  },
);
process.stdout.write(`| Database | Seed | Kills | Issued | Stored | Never stored | Stored twice | Answered and lost | Answered |
|---|---|---|---|---|---|---|---|---|
`);
try {
  process.stdout.write(readFileSync(table, 'utf8'));
} catch {
  // the test says why it came to no table
}
rmSync(folder, { recursive: true });
process.exitCode = status ?? 1;
