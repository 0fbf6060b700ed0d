// Runs the tests that make faults while alerts are under way, ten rounds of each, and prints what became of the
// messages as a table for docs/reliability.md. PostgreSQL fails over once.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = mkdtempSync(join(tmpdir(), 'certloop-faults-'));
const table = join(folder, 'table');
const suites = [
  ['@certloop/check-monitor', 'deliver-through'],
  ['@certloop/e2e', 'fail-over'],
];
let isFailed = false;
for (const [name, files] of suites) {
  const { status } = spawnSync(
    process.execPath,
    [fileURLToPath(new URL('pnpm.mjs', import.meta.url)), ...['--filter', name, 'run', 'test', files]],
    {
      stdio: 'inherit',
      env: {
        ...process.env,
        CERTLOOP_FAULT_ROUNDS: process.env.CERTLOOP_FAULT_ROUNDS ?? '10',
        CERTLOOP_FAULT_TABLE: table,
      },
    },
  );
  isFailed ||= status !== 0;
}
process.stdout.write(summary(rowsOf(table)));
rmSync(folder, { recursive: true });
process.exitCode = isFailed ? 1 : 0;

function rowsOf(file) {
  try {
    return readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) =>
        line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      );
  } catch {
    return [];
  }
}

/** One line for each fault and database: sums, and the latest arrival. */
function summary(rows) {
  const lines = new Map();
  for (const [fault, database, sent, arrived, late, repeated, lost] of rows) {
    const line = lines.get(`${fault} ${database}`) ?? {
      fault,
      database,
      rounds: 0,
      sums: [0, 0, 0, 0],
      late: 0,
    };
    line.rounds += 1;
    line.sums = [sent, arrived, repeated, lost].map((cell, index) => line.sums[index] + Number(cell));
    line.late = Math.max(line.late, Number(late));
    lines.set(`${fault} ${database}`, line);
  }
  const head =
    '| Fault | Database | Runs | Sent | Arrived | Late by at most, s | Repeated | Lost |\n|---|---|---|---|---|---|---|---|\n';
  const body = [...lines.values()].map(({ fault, database, rounds, sums, late }) => {
    const [sent, arrived, repeated, lost] = sums;
    return `| ${[fault, database, rounds, sent, arrived, late.toFixed(1), repeated, lost].join(' | ')} |\n`;
  });
  return head + body.join('');
}
