// node scripts/readiness.mjs [--check]: seeds the inventory of scripts/readiness/inventory.mjs, judges it on the days of
// the page, and writes the tables of docs/readiness.md. With --check it only says whether they are up to date.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readinessOf } from '../apps/cert-manager/dist/src/readiness/readiness.js';
import { calendar } from '../packages/crypto/dist/src/index.js';
import { begins, groups, inventory } from './readiness/inventory.mjs';

const page = fileURLToPath(new URL('../docs/readiness.md', import.meta.url));
const days = [begins, '2027-02-10', '2027-03-15', '2029-03-15'];

/** The page with new tables between its marks. */
export function withTables(text) {
  return Object.entries({ inventory: inventoryTable, figures: figuresTable, calendar: calendarTable }).reduce(
    (before, [name, table]) => between(before, name, table()),
    text,
  );
}

function between(text, name, table) {
  const [start, end] = [`<!-- ${name} -->\n`, `<!-- end of ${name} -->`];
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/readiness.md has no place for the ${name}`);
  return `${text.slice(0, from + start.length)}\n${table}\n${text.slice(to)}`;
}

function inventoryTable() {
  const rows = groups.map(([count, sentence]) => [count.toLocaleString('en'), sentence]);
  return tableOf([['Names', 'Which'], ...rows]);
}

function figuresTable() {
  const found = days.map((on) => readinessOf(inventory(), calendar, new Date(`${on}T00:00:00Z`)));
  const codes = [...new Set(found.flatMap(({ breaks }) => breaks.map(({ code }) => code)))].toSorted();
  const ofCode =
    (code) =>
    ({ breaks }) =>
      breaks
        .filter((one) => one.code === code)
        .reduce((sum, { count }) => sum + count, 0)
        .toLocaleString('en');
  const rows = [
    ...codes.map((code) => [`\`${code}\``, ofCode(code)]),
    ['names that need a person', ({ handwork }) => handwork.names.toLocaleString('en')],
    ['hours of work by hand a month', ({ handwork }) => handwork.hoursPerMonth.toLocaleString('en')],
    ['renewals a day, automatic', ({ capacity }) => capacity.renewalsPerDay.toLocaleString('en')],
    ['names renewed elsewhere', ({ renewedElsewhere }) => renewedElsewhere.toLocaleString('en')],
  ];
  return tableOf([['', ...days], ...rows.map(([title, value]) => [title, ...found.map(value)])]);
}

const subjects = {
  public_cas: 'all public CAs',
  chrome: 'Chrome',
  lets_encrypt: 'Let’s Encrypt',
  google: 'Google Trust Services',
  sectigo: 'Sectigo',
  digicert: 'DigiCert',
};

function calendarTable() {
  const rows = calendar.map(({ from, code, subject, rule, source, checkedOn, certainty }) => [
    from,
    `\`${code}\``,
    subjects[subject],
    `[${rule}](${source})`,
    certainty.replace('_', ' '),
    checkedOn,
  ]);
  return tableOf([['From', 'Code', 'Who', 'Rule', 'Certainty', 'Checked'], ...rows]);
}

function tableOf([head, ...rows]) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const before = readFileSync(page, 'utf8');
  const after = withTables(before);
  if (process.argv.includes('--check') && before !== after) {
    process.stderr.write('docs/readiness.md is out of date: run node scripts/readiness.mjs\n');
    process.exitCode = 1;
  } else if (before !== after) {
    writeFileSync(page, after);
  }
  process.stdout.write(`${figuresTable()}\n`);
}
