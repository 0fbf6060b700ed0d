// Runs the tests that make faults while alerts are under way, ten rounds of each, and prints what became of the
// messages as a table for docs/reliability.md. PostgreSQL fails over once.
import { tableOfTest } from './table-of-test.mjs';

const suites = [
  { filter: '@certloop/check-monitor', word: 'deliver-through' },
  { filter: '@certloop/e2e', word: 'fail-over' },
  { filter: '@certloop/e2e', word: 'full-disk' },
];
const tables = suites.map((suite) =>
  tableOfTest({
    ...suite,
    variable: 'CERTLOOP_FAULT_TABLE',
    environment: { CERTLOOP_FAULT_ROUNDS: '10' },
  }),
);
const lines = tables.flatMap(({ rows }) => rows.split('\n')).filter((row) => row !== '');
process.stdout.write(summary(lines.map(cellsOf)));
process.exitCode = tables.some(({ exitCode }) => exitCode !== 0) ? 1 : 0;

function cellsOf(row) {
  return row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

/** One line for each fault and database: sums, the latest arrival, and the slowest recovery where it is measured. */
function summary(rows) {
  const lines = new Map();
  for (const [fault, database, sent, arrived, late, repeated, lost, well] of rows) {
    const line = lines.get(`${fault} ${database}`) ?? {
      fault,
      database,
      rounds: 0,
      sums: [0, 0, 0, 0],
      late: 0,
      well: undefined,
    };
    line.rounds += 1;
    line.sums = [sent, arrived, repeated, lost].map((cell, index) => line.sums[index] + Number(cell));
    line.late = Math.max(line.late, Number(late));
    if (well !== undefined) line.well = Math.max(line.well ?? 0, Number(well));
    lines.set(`${fault} ${database}`, line);
  }
  const head =
    '| Fault | Database | Runs | Sent | Arrived | Late by at most, s | Repeated | Lost | Well again within, s |\n|---|---|---|---|---|---|---|---|---|\n';
  const body = [...lines.values()].map(({ fault, database, rounds, sums, late, well }) => {
    const [sent, arrived, repeated, lost] = sums;
    return `| ${[fault, database, rounds, sent, arrived, late.toFixed(1), repeated, lost, well?.toFixed(1) ?? '–'].join(' | ')} |\n`;
  });
  return head + body.join('');
}
