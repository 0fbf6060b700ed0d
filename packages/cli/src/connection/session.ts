import {
  type AcmeTool,
  createCertManagerClient,
  createCheckMonitorClient,
  createDummyCaClient,
} from '@certloop/contracts';
import { UsageError } from '../faults/command-errors.js';
import { throwWithFile } from '../faults/system-fault.js';
import type { Io } from '../io.js';
import { type Activity, createActivity, noActivity } from '../output/activity.js';
import type { Format } from '../output/format.js';
import { createReport, type OutputSettings, type Report } from '../output/report.js';
import { type Resolved, readConnection, winningVariables } from './connection.js';
import { type Fetch, fetchFrom, timeoutMs } from './fetch.js';

export type Manager = ReturnType<typeof createCertManagerClient>;
export type Monitor = ReturnType<typeof createCheckMonitorClient>;
export type DummyCa = ReturnType<typeof createDummyCaClient>;

type Step = (doing: string, steps?: number) => void;

/** Shared context of all commands. */
export interface Session {
  readonly io: Io;
  readonly report: Report;
  /** Kind of the output that was asked for. */
  readonly format: Format['kind'];
  /** The ACME client whose commands are the output. */
  readonly tool: AcmeTool | undefined;
  /** Notes that nothing had to be changed: the exit code is 3 with --exit-code. */
  readonly unchanged: () => void;
  /** Shows what takes over a second, such as each call of a service; nothing with --quiet and --verbose. */
  readonly activity: Activity;
  /** Does work with this number of steps, of which the current one is shown while it lasts; a step may stand for several. */
  readonly progress: <T>(total: number, work: (step: Step) => Promise<T>) => Promise<T>;
  /** fetch whose errors contain the service; with --verbose, each call is a line on standard error. */
  readonly fetchFrom: (service: string) => Fetch;
  /** The context that `--context` names. */
  readonly context: string | undefined;
  readonly connection: () => Promise<Resolved>;
  /** Its calls throw UsageError without a login. */
  readonly manager: Manager;
  /** Its calls throw UsageError when no monitor is known. */
  readonly monitor: Monitor;
  /** Its calls throw UsageError when no dummy CA is known. */
  readonly dummyCa: DummyCa;
}

export interface SessionSettings extends OutputSettings {
  /** Each call of a service is a line on standard error. */
  readonly isVerbose: boolean;
  /** Is called when nothing had to be changed. */
  readonly unchanged: () => void;
  /** The context that `--context` names. */
  readonly context: string | undefined;
  /** Ends all calls of services. */
  readonly deadline?: AbortSignal;
  /** Milliseconds until the response to a call must begin; by service and method when absent. */
  readonly limitMs?: number | undefined;
}

export function openSession(given: Io, settings: SessionSettings): Session {
  const io = { ...given, readText: naming(given.readText) };
  const trace = settings.isVerbose ? (line: string) => void io.err.write(`${line}\n`) : undefined;
  const report = createReport(io, settings);
  let resolved: Promise<Resolved> | undefined;
  const connection = () => {
    if (resolved === undefined) warnOfOverride(io, report, settings.context);
    resolved ??= readConnection(io, settings.context);
    return resolved;
  };
  const fetching = { trace, deadline: settings.deadline, limitMs: settings.limitMs, after: io.deadline };
  const activity = settings.isQuiet || settings.isVerbose ? noActivity : createActivity(io);
  const fetchOf =
    (service: string): Fetch =>
    (...request) =>
      activity.during(
        () => `waiting for ${service}`,
        () => fetchFrom(service, fetching)(...request),
      );
  return {
    io,
    report,
    format: settings.format.kind,
    tool: settings.format.kind === 'setup' ? settings.format.tool : undefined,
    context: settings.context,
    unchanged: settings.unchanged,
    activity,
    progress: (total, work) => {
      let [count, current] = [0, ''];
      return activity.during(
        () => `${count}/${total} ${current}`,
        () =>
          work((doing, steps = 1) => {
            count += steps;
            current = doing;
          }),
      );
    },
    fetchFrom: fetchOf,
    connection,
    manager: whenCalled(async () => {
      const { certManager } = await connection();
      if (certManager === undefined)
        throw new UsageError('log in first (certloop login), or set CERTLOOP_URL and CERTLOOP_TOKEN');
      return managerAt(certManager.url, certManager.token, fetchOf('cert-manager'));
    }),
    monitor: whenCalled(async () => {
      const { checkMonitor } = await connection();
      if (checkMonitor?.readWriteKey === undefined)
        throw new UsageError(
          'log in to check-monitor first (certloop login --monitor-url), or set CERTLOOP_MONITOR_URL and CERTLOOP_MONITOR_KEY, a read-write key of a project; certloop projects create-key creates one',
        );
      return monitorAt(checkMonitor.url, checkMonitor.readWriteKey, fetchOf('check-monitor'));
    }),
    dummyCa: whenCalled(async () => {
      const { dummyCa } = await connection();
      if (dummyCa === undefined)
        throw new UsageError('set CERTLOOP_CA_URL, the address of dummy-ca such as http://127.0.0.1:3002');
      return createDummyCaClient({ baseUrl: dummyCa.url, timeoutMs, fetch: fetchOf('dummy-ca') });
    }),
  };
}

/** A client that is opened by its first call. */
function whenCalled<Client extends object>(open: () => Promise<Client>): Client {
  const call =
    (name: string) =>
    async (...input: readonly unknown[]): Promise<unknown> => {
      const operations = (await open()) as Record<string, (...input: readonly unknown[]) => unknown>;
      return operations[name]?.(...input);
    };
  return new Proxy({} as Client, { get: (_, name) => call(String(name)) });
}

/** Client of cert-manager with the token. */
export function managerAt(
  baseUrl: string,
  token?: string,
  fetchOf: Fetch = fetchFrom('cert-manager'),
): Manager {
  const credential = token === undefined ? {} : { token };
  return createCertManagerClient({ baseUrl, ...credential, timeoutMs, fetch: fetchOf });
}

/** Client of check-monitor with a key of a project. */
export function monitorAt(
  baseUrl: string,
  apiKey: string,
  fetchOf: Fetch = fetchFrom('check-monitor'),
): Monitor {
  return createCheckMonitorClient({ baseUrl, apiKey, timeoutMs, fetch: fetchOf });
}

function warnOfOverride({ env }: Io, report: Report, context: string | undefined): void {
  const set = winningVariables(env);
  if (context === undefined || set.length === 0) return;
  report.warn(`${set.join(', ')} overrides --context ${context}; unset it to use the context`);
}

/** Reads a text file; errors contain the file name even if the system omits it, as for a folder. */
function naming(readText: Io['readText']): Io['readText'] {
  return (file) => readText(file).catch(throwWithFile(file));
}
