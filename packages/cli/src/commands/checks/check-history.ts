import { NotFound, type Ping } from '@certloop/contracts';
import type { Command } from '@commander-js/extra-typings';
import type { Session } from '../../connection/session.js';
import { findCheck } from '../../lookup.js';
import { duration, wholeNumber } from '../../numbers.js';
import { checkRowOf } from './check-row.js';

const pingRow = ({ n, date, type, duration: seconds, remote_addr: address, ua, rid }: Ping) => ({
  n,
  time: date,
  signal: type,
  seconds,
  address,
  client: ua,
  run: rid,
});

/** Adds `checks get`, `pings`, `flips`, `output` and `badges`. */
export function addCheckHistory(checks: Command, open: () => Session): void {
  checks
    .command('get <check>')
    .description('Show a check, by name, slug or uuid')
    .action(async (named) => {
      const { report, monitor } = open();
      const { uuid: id } = await findCheck(monitor, named);
      const { body } = await monitor.getCheck({ params: { id } });
      report.thing(body, (check) => ({
        ...checkRowOf(check),
        grace: check.grace,
        started: check.started ? 'yes' : 'no',
        'last duration': check.last_duration,
        pings: check.n_pings,
        description: check.desc,
        ping: 'ping_url' in check ? check.ping_url : undefined,
      }));
    });
  withPings(checks.command('pings <check>'), open);
  withFlips(checks.command('flips <check>'), open);
  withOutput(checks.command('output <check>'), open);
  checks
    .command('badges')
    .description('List the addresses of badges, by tag')
    .action(async () => {
      const { report, monitor } = open();
      const { badges } = (await monitor.listBadges()).body;
      const rows = Object.entries(badges).map(([tag, urls]) => ({ tag, ...urls }));
      report.list(rows, (row) => row, { wide: ['svg3', 'json', 'json3', 'shields', 'shields3'] });
    });
}

/** Adds the noun `pings`. */
export function addPings(program: Command, open: () => Session): void {
  const pings = program.command('pings').description('Pings of a check: list them, print the output of one');
  withPings(pings.command('list <check>', { isDefault: true }), open);
  withOutput(pings.command('get <check>'), open);
}

/** Adds the noun `flips`. */
export function addFlips(program: Command, open: () => Session): void {
  const flips = program.command('flips').description('Changes of status of a check');
  withFlips(flips.command('list <check>', { isDefault: true }), open);
}

function withPings(command: Command<[string]>, open: () => Session): void {
  command
    .description('List the pings of a check, newest first')
    .option('--limit <n>', 'maximum number of results', wholeNumber('--limit', 1, 10_000), 20)
    .action(async (named, { limit }) => {
      const { report, monitor } = open();
      const { uuid: id } = await findCheck(monitor, named);
      const { pings } = (await monitor.listPings({ params: { id } })).body;
      report.list(pings.slice(0, limit), pingRow, { wide: ['address', 'monitor', 'run'] });
    });
}

function withFlips(command: Command<[string]>, open: () => Session): void {
  command
    .description('List the changes of status of a check, newest first')
    .option(
      '--within <duration>',
      'only those within this time: days, or 36h',
      duration('--within', 'd', 0, 36_500),
    )
    .action(async (named, { within }) => {
      const { report, monitor } = open();
      const { uuid: id } = await findCheck(monitor, named);
      const query = within === undefined ? {} : { seconds: String(Math.round(within * 86_400)) };
      const { body } = await monitor.listFlips({ params: { id }, query });
      report.list(body, ({ timestamp, up }) => ({ time: timestamp, status: up === 1 ? 'up' : 'down' }));
    });
}

function withOutput(command: Command<[string]>, open: () => Session): void {
  command
    .description('Print the output of the last run, or of the ping that --ping names')
    .option(
      '--ping <n>',
      'number of the ping, as checks pings lists it',
      wholeNumber('--ping', 1, 999_999_999),
    )
    .action((named, { ping }) => printOutput(open(), named, ping));
}

async function printOutput(
  { report, monitor }: Session,
  named: string,
  ping: number | undefined,
): Promise<void> {
  const { uuid: id } = await findCheck(monitor, named);
  const { pings } = (await monitor.listPings({ params: { id } })).body;
  const found = pings.find(({ n, body_url: url }) => url !== null && (ping === undefined || n === ping));
  if (found === undefined) {
    const which = ping === undefined ? 'no ping with an output' : `no ping ${ping} with an output`;
    throw new NotFound(`${named} has ${which}; certloop checks pings ${named} lists its pings`);
  }
  const { body } = await monitor.getPingBody({ params: { id, n: String(found.n) } });
  report.text(body, { ...found, body: Buffer.from(body).toString() });
}
