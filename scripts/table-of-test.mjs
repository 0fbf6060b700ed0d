import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Runs the tests of a package whose paths have a word, or one of several, which append rows to the file that the variable names. Returns
 * the rows, empty when the tests came to none, and the exit code.
 */
export function tableOfTest({ filter, word, words = [word], variable, environment }) {
  const folder = mkdtempSync(join(tmpdir(), 'certloop-table-'));
  const table = join(folder, 'table');
  const pnpm = fileURLToPath(new URL('pnpm.mjs', import.meta.url));
  const { status } = spawnSync(process.execPath, [pnpm, '--filter', filter, 'run', 'test', ...words], {
    stdio: 'inherit',
    env: { ...environment, ...process.env, [variable]: table },
  });
  const rows = readRows(table);
  rmSync(folder, { recursive: true });
  return { rows, exitCode: status ?? 1 };
}

function readRows(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return '';
    throw error;
  }
}
