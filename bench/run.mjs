// npm run bench -- [suite…] [--seconds 6]: what the hot paths give on this machine, beside a bare server in the same
// run; every suite when none is named. It asserts nothing. Figures of different runs compare by their ratio only.
import { parseArgs } from 'node:util';
import { authority } from './authority.mjs';
import { drill, manager } from './manager.mjs';
import { measureBaseline } from './measure.mjs';
import { monitor } from './monitor.mjs';
import { formatRows } from './table.mjs';

// A suite is { name, run }: `run({ seconds })` gives rows as measure.mjs makes them, `seconds` long for each load.
const suites = [authority, monitor, manager, drill];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '6' } },
});
const seconds = Number(values.seconds);
const unknown = positionals.filter((asked) => !suites.some(({ name }) => name === asked));
if (unknown.length > 0 || !(seconds > 0)) {
  process.stderr.write(
    `usage: npm run bench -- [${suites.map(({ name }) => name).join('|')}]… [--seconds N]\n`,
  );
  process.exit(2);
}

for (const { name, run } of suites) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  process.stderr.write(`${name} …\n`);
  // beside each suite, as a machine's speed changes within minutes
  const baseline = await measureBaseline({ seconds: Math.min(seconds, 3) });
  const rows = await run({ seconds });
  process.stdout.write(`\n${formatRows(name, baseline, rows)}\n`);
}
