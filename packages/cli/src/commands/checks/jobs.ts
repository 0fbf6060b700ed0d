import type { Command } from '@commander-js/extra-typings';
import { repeat } from '../../connection/repeat.js';
import type { Session } from '../../connection/session.js';
import { UsageError } from '../../faults/command-errors.js';
import { pingAddress, sendPing } from '../../jobs/pings.js';
import { runWatched } from '../../jobs/run-watched.js';
import { wholeNumber } from '../../numbers.js';

/** The exit code that the whole command ends with. */
type Ended = (code: number) => void;

interface PingOptions {
  readonly start?: boolean;
  readonly fail?: boolean;
  readonly log?: boolean;
  readonly exitStatus?: number;
  readonly body?: string;
}

/** Adds `ping` and `run`. */
export function addJobs(program: Command, open: () => Session, ended: Ended): void {
  program
    .command('ping <check>')
    .description('Ping a check, by its ping address, name, slug or uuid')
    .option('--start', 'report that a run starts')
    .option('--fail', 'report that a run failed')
    .option('--log', 'only store a log entry, without an effect on the state')
    .option('--exit-status <n>', 'report the exit status of a run', wholeNumber('--exit-status', 0, 255))
    .option('--body <file>', 'file whose content is stored with the ping; - is standard input')
    .action((named, options) => ping(open(), named, options));
  program
    .command('run <check> <command...>')
    .usage('[options] <check> -- <command> [arguments...]')
    .description(
      'Run the command after --, and report its start, its result and the end of its output to a check',
    )
    .option('--pass-credentials', 'let the command see CERTLOOP_TOKEN and CERTLOOP_MONITOR_KEY')
    .action(async (check, command, { passCredentials }) => {
      if (command[0] === '') throw new UsageError('the command after -- is empty');
      const job = { check, command, passCredentials: passCredentials === true };
      ended(await runWatched(open(), job));
    });
}

async function ping(session: Session, named: string, options: PingOptions): Promise<void> {
  const { io, report } = session;
  const action = actionOf(options);
  const body = options.body === undefined ? '' : await io.readText(options.body);
  const send = async () => sendPing(session, `${await pingAddress(session, named)}${action}`, body);
  const failed = (error: Error, pauseMs: number) => {
    if (io.err.isTTY === true)
      report.warn(`${error.message}; trying again in ${Math.ceil(pauseMs / 1_000)} s`);
  };
  await repeat(io, send, { failed });
  report.done('pinged', { check: named });
}

function actionOf({ start, fail, log, exitStatus }: PingOptions): string {
  const wanted = [
    start && '/start',
    fail && '/fail',
    log && '/log',
    exitStatus !== undefined && `/${exitStatus}`,
  ];
  const actions = wanted.filter((action) => typeof action === 'string');
  if (actions.length > 1) throw new UsageError('--start, --fail, --log and --exit-status cannot be combined');
  return actions[0] ?? '';
}
