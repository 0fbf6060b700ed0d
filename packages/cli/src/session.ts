import {
  createCertManagerClient,
  createCheckMonitorClient,
  createDummyCaClient,
  UpstreamFailed,
} from '@certloop/contracts';
import { type Connection, readConnection } from './connection.js';
import type { Io } from './io.js';
import { createReport, type Report } from './report.js';
import { UsageError } from './usage-error.js';

export type Manager = ReturnType<typeof createCertManagerClient>;
export type Monitor = ReturnType<typeof createCheckMonitorClient>;
export type DummyCa = ReturnType<typeof createDummyCaClient>;

/** What every command works with. */
export interface Session {
  readonly io: Io;
  readonly report: Report;
  readonly connection: () => Promise<Connection>;
  /** Throws UsageError when no one has logged in. */
  readonly manager: () => Promise<Manager>;
  /** Throws UsageError when no monitor is known. */
  readonly monitor: () => Promise<Monitor>;
  /** Throws UsageError when no dummy CA is known. */
  readonly dummyCa: () => Promise<DummyCa>;
}

// A request by ACME may take two minutes, and the service answers by then in any case.
const timeoutMs = 150_000;

export function openSession(io: Io, isJson: boolean): Session {
  const connection = () => readConnection(io);
  return {
    io,
    report: createReport(io, isJson),
    connection,
    manager: async () => {
      const { certManager } = await connection();
      if (certManager === undefined)
        throw new UsageError('log in first (certloop login), or set CERTLOOP_URL and CERTLOOP_TOKEN');
      return managerAt(certManager.url, certManager.token);
    },
    monitor: async () => {
      const { checkMonitor } = await connection();
      if (checkMonitor === undefined)
        throw new UsageError(
          'set CERTLOOP_MONITOR_URL and CERTLOOP_MONITOR_KEY, a read-write key of a project',
        );
      return createCheckMonitorClient({
        baseUrl: checkMonitor.url,
        apiKey: checkMonitor.readWriteKey,
        fetch: fetchFrom('check-monitor'),
      });
    },
    dummyCa: async () => {
      const { dummyCa } = await connection();
      if (dummyCa === undefined)
        throw new UsageError('set CERTLOOP_CA_URL, the address of dummy-ca such as http://127.0.0.1:3002');
      return createDummyCaClient({ baseUrl: dummyCa.url, timeoutMs, fetch: fetchFrom('dummy-ca') });
    },
  };
}

/** Client of cert-manager, for anyone who has the token. */
export function managerAt(baseUrl: string, token?: string): Manager {
  const credential = token === undefined ? {} : { token };
  return createCertManagerClient({ baseUrl, ...credential, timeoutMs, fetch: fetchFrom('cert-manager') });
}

/** fetch whose failure names the service and where it was looked for. */
export function fetchFrom(service: string): (...request: Parameters<typeof fetch>) => Promise<Response> {
  return (input, init) =>
    fetch(input, init).catch((cause: unknown) => {
      const { origin } = new URL(input instanceof Request ? input.url : input);
      throw new UpstreamFailed(`${service} at ${origin} does not answer: ${reasonOf(cause)}`, { cause });
    });
}

/** What the network said: the innermost cause's code, such as ECONNREFUSED, else its message. */
function reasonOf(error: unknown): string {
  const { cause, code, message, name } = (error ?? {}) as NodeJS.ErrnoException;
  if (name === 'TimeoutError') return 'no answer in time';
  if (cause !== undefined) return reasonOf(cause);
  return code ?? message ?? String(error);
}
