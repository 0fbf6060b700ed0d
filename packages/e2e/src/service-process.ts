import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { StartFailed } from '@certloop/server';
import { writeRotatingLog } from './rotating-log.js';

export type ServiceName = 'cert-manager' | 'check-monitor' | 'dummy-ca';

const require = createRequire(import.meta.url);

/** Path of a bundled entry of an app, `main.js` or `cli.js`: it starts in a third of the time of `dist/src`. */
export function compiledFile(app: ServiceName, file: string): string {
  return join(dirname(require.resolve(`@certloop/${app}/package.json`)), 'dist', 'service', file);
}

export interface ServiceOptions {
  readonly app: ServiceName;
  readonly environment: Readonly<Record<string, string>>;
  /** Answers 200 once the service takes requests. */
  readonly healthUrl: string;
  /** The newest part of the service's log; older ones are beside it. */
  readonly logFile: string;
}

/** A service that runs as a process of its own. */
export interface ServiceProcess {
  readonly app: ServiceName;
  readonly pid: number;
  /** Resolves when it takes requests; rejects with StartFailed when it ends before or takes over 5 min. */
  readonly ready: Promise<void>;
  /** Resolves with a sentence when the process ended, asked or not. */
  readonly ended: Promise<string>;
  /** Asks it to end, and kills it after 25 s. */
  stop(): Promise<void>;
  /** SIGKILL, at once. */
  kill(): Promise<void>;
}

/** Starts a service. What it writes to standard error is the reason if its start fails, and is shown otherwise. */
export function startService(options: ServiceOptions): ServiceProcess {
  const child = spawn(process.execPath, ['--enable-source-maps', compiledFile(options.app, 'main.js')], {
    env: options.environment,
    // By the closed channel, the service notices that this process is gone. A group of its own, since Ctrl-C in a
    // terminal goes to the whole group and the stack stops its services in order.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
  });
  const logged = writeRotatingLog(child.stdout as Readable, { service: options.app, file: options.logFile });
  const ended = endOf(child, options.app, logged);
  const ready = awaitHealth(options, ended, readErrors(child));
  // Callers that await it learn the error; a stack that is being stopped does not.
  ready.catch(() => undefined);
  return {
    app: options.app,
    pid: child.pid ?? -1,
    ready,
    ended,
    stop: () => endBy(child, 'SIGTERM', ended),
    kill: () => endBy(child, 'SIGKILL', ended),
  };
}

async function endOf(child: ChildProcess, app: ServiceName, logged: Promise<void>): Promise<string> {
  // all that it said has been read by then
  const [code, signal]: (number | string | null)[] = await once(child, 'close');
  await logged;
  return `${app} ended with ${signal ?? `exit code ${code}`}`;
}

/** Output of a starting process to standard error. */
interface StartErrors {
  /** The last of it, which has not been shown. */
  readonly last: () => string;
  /** Shows it, and all that follows. */
  readonly show: () => void;
}

/** Reads what the process writes to standard error; only the last 2000 characters are not shown at once. */
function readErrors(child: ChildProcess): StartErrors {
  let last = '';
  let length = 2000;
  const add = (text: string) => {
    const all = `${last}${text}`;
    const shown = all.slice(0, Math.max(0, all.length - length));
    last = all.slice(shown.length);
    if (shown !== '') process.stderr.write(shown);
  };
  child.stderr?.setEncoding('utf8').on('data', add);
  return {
    last: () => last.trim(),
    show: () => {
      length = 0;
      add('');
    },
  };
}

// only a service that hangs takes so long, however slow or busy its machine is
const maxStartMs = 300_000;

async function awaitHealth(
  { app, healthUrl }: ServiceOptions,
  ended: Promise<string>,
  errors: StartErrors,
): Promise<void> {
  let over: string | undefined;
  void ended.then((sentence) => {
    over = sentence;
  });
  for (const deadline = Date.now() + maxStartMs; Date.now() < deadline; await pause(25)) {
    if (over !== undefined) throw new StartFailed(errors.last() === '' ? over : `${over}: ${errors.last()}`);
    if (await isAnswering(healthUrl)) return errors.show();
  }
  errors.show();
  throw new StartFailed(`${app} does not answer at ${healthUrl}`);
}

/** Whether an address answers with 200 within 5 s, as a service on a busy machine does. */
export async function isAnswering(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
}

async function endBy(
  child: ChildProcess,
  signal: 'SIGTERM' | 'SIGKILL',
  ended: Promise<string>,
): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) child.kill(signal);
  const late = setTimeout(() => child.kill('SIGKILL'), 25_000);
  await ended;
  clearTimeout(late);
}

/**
 * Standard output of a service's command line, which reads `input`. Throws StartFailed with what it said on standard error when
 * it ends with another code than 0.
 */
export async function runCommand(
  app: ServiceName,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  input = '',
): Promise<string> {
  const child = spawn(process.execPath, [compiledFile(app, 'cli.js'), ...args], {
    env: environment,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // a command that does not read its input may have ended before
  child.stdin.on('error', () => undefined).end(input);
  const said = { out: '', error: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.error += text;
  });
  const [code]: (number | null)[] = await once(child, 'close');
  if (code !== 0) throw new StartFailed(`${app} ${args[0]} failed: ${said.error.trim()}`);
  return said.out;
}
