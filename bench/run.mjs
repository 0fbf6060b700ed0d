// npm run bench -- [suite…] [--seconds 6] [--on sqlite|postgres] [--renewals 10000] [--rows 1000000]
// What the hot paths give on this machine, beside a bare server in the same run; every suite that is not long when none
// is named. It asserts nothing. Figures of different runs compare by their ratio only.
import { parseArgs } from 'node:util';
import { front } from './cert-manager/front.mjs';
import { held } from './cert-manager/held.mjs';
import { manager } from './cert-manager/manager.mjs';
import { drill } from './cert-manager/manager-drill.mjs';
import { served } from './cert-manager/manager-served.mjs';
import { readiness } from './cert-manager/readiness.mjs';
import { statuses } from './cert-manager/statuses.mjs';
import { monitor, pings } from './check-monitor/monitor.mjs';
import { checks } from './check-monitor/monitor-console.mjs';
import { storm } from './check-monitor/monitor-storm.mjs';
import { consoles } from './console/console.mjs';
import { authority } from './dummy-ca/authority.mjs';
import { measureBaseline } from './measuring/measure.mjs';
import { formatRows } from './measuring/table.mjs';
import { scale } from './scale/scale.mjs';

// A suite is { name, isLong?, run, format? }: `run` gives rows as measure.mjs makes them, or as `format` reads them. Its options are `seconds` for each
// load, `dialects` to measure on, how many `renewals` the drill has, and of how many `rows` the large tables are.
const suites = [
  authority,
  monitor,
  pings,
  manager,
  statuses,
  readiness,
  served,
  held,
  front,
  checks,
  storm,
  drill,
  scale,
  consoles,
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '6' },
    renewals: { type: 'string', default: '10000' },
    rows: { type: 'string', default: '1000000' },
    on: { type: 'string', multiple: true, default: ['sqlite', 'postgres'] },
  },
});
const seconds = Number(values.seconds);
const options = {
  seconds,
  renewals: Number(values.renewals),
  rows: Number(values.rows),
  dialects: values.on,
};
const unknown = positionals.filter((asked) => !suites.some(({ name }) => name === asked));
if (unknown.length > 0 || !(seconds > 0)) {
  process.stderr.write(
    `usage: npm run bench -- [${suites.map(({ name }) => name).join('|')}]… [--seconds N]\n`,
  );
  process.exit(2);
}

for (const { name, isLong = false, run, format = formatRows } of suites) {
  if (positionals.length > 0 ? !positionals.includes(name) : isLong) continue;
  process.stderr.write(`${name} …\n`);
  // beside each suite, as a machine's speed changes within minutes
  const baseline = await measureBaseline({ seconds: Math.min(seconds, 3) });
  const rows = await run(options);
  process.stdout.write(`\n${format(name, baseline, rows)}\n`);
}
