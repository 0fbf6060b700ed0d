import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { constants } from 'node:os';
import { NotFound, UpstreamFailed } from '@certloop/contracts';
import type { Command } from 'commander';
import { findCheck } from '../lookup.js';
import { wholeNumber } from '../numbers.js';
import { fetchFrom, type Session } from '../session.js';
import { createTail } from '../tail.js';
import { UsageError } from '../usage-error.js';

/** The exit code that the whole command ends with. */
type Ended = (code: number) => void;

// The monitor keeps 10,000 bytes of a body by default.
const bodyBytes = 10_000;

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
    .option('--start', 'a run begins')
    .option('--fail', 'it failed')
    .option('--log', 'only log')
    .option('--exit-status <n>', 'it ended with a status', wholeNumber('--exit-status', 0, 255))
    .option('--body <file>', 'file whose content is kept with the ping; - for standard input')
    .action(async (named: string, options: PingOptions) => {
      const session = open();
      const address = await pingAddress(session, named);
      const body = options.body === undefined ? '' : await session.io.readText(options.body);
      await send(`${address}${actionOf(options)}`, body);
      session.report.done('pinged', { check: named });
    });
  program
    .command('run <check> <command...>')
    .usage('<check> -- <command> [arguments...]')
    .description('Run what follows --, and tell a check of its start, its end and the last of its output')
    .action(async (named: string, command: string[]) => ended(await runWatched(open(), named, command)));
}

function actionOf({ start, fail, log, exitStatus }: PingOptions): string {
  const wanted = [
    start && '/start',
    fail && '/fail',
    log && '/log',
    exitStatus !== undefined && `/${exitStatus}`,
  ];
  const actions = wanted.filter((action) => typeof action === 'string');
  if (actions.length > 1) throw new UsageError('--start, --fail, --log and --exit-status exclude each other');
  return actions[0] ?? '';
}

async function pingAddress({ monitor }: Session, named: string): Promise<string> {
  if (/^https?:\/\//.test(named)) {
    if (!URL.canParse(named)) throw new UsageError(`${named} is no address`);
    return named.replace(/\/+$/, '');
  }
  return (await findCheck(await monitor(), named)).ping_url;
}

async function send(address: string, body: string): Promise<void> {
  const request = { method: 'POST', body, signal: AbortSignal.timeout(10_000) };
  const response = await fetchFrom('check-monitor')(address, request);
  if (response.status === 404) throw new NotFound('there is no check with this ping address');
  if (!response.ok) throw new UpstreamFailed(`check-monitor answered the ping with ${response.status}`);
}

/** Exit code of the command; what keeps the monitor from being told is said, and does not keep the command from running. */
async function runWatched(session: Session, named: string, command: readonly string[]): Promise<number> {
  const { io } = session;
  const tell = async (what: () => Promise<void>) => {
    await what().catch((error: Error) => io.err.write(`certloop: ${error.message}\n`));
  };
  const rid = randomUUID();
  let address: string | undefined;
  await tell(async () => {
    address = await pingAddress(session, named);
    await send(`${address}/start?rid=${rid}`, '');
  });
  const { code, output } = await execute(session, command);
  await tell(async () => {
    address ??= await pingAddress(session, named);
    await send(`${address}/${code}?rid=${rid}`, output);
  });
  return code;
}

/** Runs a command; what it writes passes through byte by byte, and its end is kept. */
function execute({ io }: Session, [file = '', ...args]: readonly string[]) {
  const tail = createTail(bodyBytes);
  return new Promise<{ code: number; output: string }>((resolve) => {
    const child = spawn(file, args, { stdio: ['inherit', 'pipe', 'pipe'] });
    // A terminal sends SIGINT to the command as well, and twice means something else to some.
    const release = io.onSignal((signal) => void (signal !== 'SIGINT' && child.kill(signal)));
    for (const [stream, sink] of [[child.stdout, io.out] as const, [child.stderr, io.err] as const]) {
      stream.on('data', tail.add);
      stream.pipe(sink, { end: false });
      // Who reads no further breaks the command's own pipe, as without us.
      sink.once('error', () => stream.destroy());
    }
    // As a shell says it: 127 for a command that is not there, 126 for one that cannot be run, 128 and the number for a signal.
    child.once('error', (error: NodeJS.ErrnoException) => {
      release();
      const output = `${file} cannot be run: ${error.code ?? error.message}\n`;
      io.err.write(`certloop: ${output}`);
      resolve({ code: error.code === 'ENOENT' ? 127 : 126, output });
    });
    child.once('close', (code, signal) => {
      release();
      const number = signal === null ? 1 : 128 + constants.signals[signal];
      resolve({ code: code ?? number, output: tail.text() });
    });
  });
}
