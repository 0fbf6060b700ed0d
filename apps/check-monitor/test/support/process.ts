import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A monitor that runs as a process of its own. */
export interface RunningService {
  readonly url: string;
  /** Events of its log so far. */
  readonly events: readonly string[];
  /** Asks it to stop; resolves to its exit code. */
  stop(): Promise<number | null>;
  /** Resolves when it is gone. */
  kill(): Promise<void>;
}

/** The same, with a project of its own. */
export interface RunningMonitor extends RunningService {
  readonly readWriteKey: string;
  readonly pingKey: string;
}

/** Starts a monitor on a database, with a project of its own. */
export async function startMonitor(
  databaseUrl: string,
  changed: Readonly<Record<string, string>> = {},
): Promise<RunningMonitor> {
  const service = await startService(databaseUrl, changed);
  const setup = start(
    'cli',
    'setup --owner ada@example.org --project Jobs --json'.split(' '),
    environmentOf(databaseUrl, changed),
  );
  const { readWriteKey, pingKey }: Pick<RunningMonitor, 'readWriteKey' | 'pingKey'> = JSON.parse(
    await outputOf(setup),
  );
  return { ...service, readWriteKey, pingKey };
}

/** Secret of the monitors that are started here. */
export const secretOfProcesses = 'a secret for tests only';

/** Starts a monitor on a database as it is. */
export async function startService(
  databaseUrl: string,
  changed: Readonly<Record<string, string>> = {},
): Promise<RunningService> {
  const child = start('main', [], environmentOf(databaseUrl, changed));
  const events: string[] = [];
  const url = await listening(child, events);
  return {
    url,
    events,
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      const [code] = (await ended) as [number | null];
      return code;
    },
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function environmentOf(databaseUrl: string, changed: Readonly<Record<string, string>>) {
  return {
    CHECK_MONITOR_DATABASE_URL: databaseUrl,
    CHECK_MONITOR_SECRET: secretOfProcesses,
    CHECK_MONITOR_PORT: '0',
    ...changed,
  };
}

function start(file: 'main' | 'cli', args: readonly string[], env: Record<string, string>): ChildProcess {
  const path = fileURLToPath(new URL(`../../service/${file}.js`, import.meta.url));
  return spawn(process.execPath, [path, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Address of the service once it listens; its log is read to the end. */
function listening(child: ChildProcess, events: string[]): Promise<string> {
  const { stdout } = child;
  if (stdout === null) throw new Error('no output');
  return new Promise((resolve, reject) => {
    const lines = createInterface(stdout);
    lines.on('line', (line) => {
      const entry: { event?: string; url?: string } = JSON.parse(line);
      events.push(entry.event ?? '');
      if (entry.event === 'service.started') resolve(entry.url ?? '');
    });
    lines.on('close', () => reject(new Error('the service ended before it listened')));
  });
}

async function outputOf({ stdout }: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of stdout ?? []) text += String(chunk);
  return text;
}
