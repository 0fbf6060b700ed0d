import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listening, textOf } from '../small-server.js';

/** A ping that the monitor got: `/start`, `/fail` or an empty text for success. */
export interface SeenPing {
  readonly uuid: string;
  readonly signal: string;
  readonly runId: string | null;
  readonly body: string;
}

/** A monitor that keeps what it is sent; it knows checks by their slug and nothing else. */
export interface FakeMonitor {
  readonly url: string;
  readonly apiKey: string;
  readonly created: readonly Record<string, unknown>[];
  /** Integrations of the check, as the monitor shows them. */
  channels: string;
  readonly pings: readonly SeenPing[];
  /** Uuid of the only check. */
  readonly uuid: () => string | undefined;
  /** Answers everything with this status; undefined ends it. */
  failWith(status: number | undefined): void;
  /** Loses its checks. */
  forget(): void;
  close(): Promise<void>;
}

export async function startFakeMonitor(): Promise<FakeMonitor> {
  const apiKey = 'monitor-key-that-no-log-may-show';
  const created: Record<string, unknown>[] = [];
  const pings: SeenPing[] = [];
  let uuid: string | undefined;
  let failure: number | undefined;
  const monitor = { channels: 'a-channel' };

  const manage = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.headers['x-api-key'] !== apiKey) return answer(response, 401, { error: 'wrong api key' });
    if (request.method === 'GET')
      return answer(response, 200, {
        checks: uuid === undefined ? [] : [{ uuid, channels: monitor.channels }],
      });
    created.push(JSON.parse(await textOf(request)) as Record<string, unknown>);
    const status = uuid === undefined ? 201 : 200;
    uuid ??= randomUUID();
    // the host is another one on purpose: it must not be followed
    return answer(response, status, { uuid, ping_url: `http://elsewhere.invalid/ping/${uuid}` });
  };
  const ping = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://monitor');
    const [, sent = '', signal = ''] = /^\/ping\/([^/]+)(.*)$/.exec(pathname) ?? [];
    const body = await textOf(request);
    if (sent !== uuid) return answer(response, 404, 'not found');
    pings.push({ uuid: sent, signal, runId: searchParams.get('rid'), body });
    return answer(response, 200, 'OK');
  };
  const server = createServer((request, response) => {
    if (failure !== undefined) return answer(response, failure, { error: 'out of order' });
    const isManaged = request.url?.startsWith('/api/v3/checks/') === true;
    void (isManaged ? manage(request, response) : ping(request, response));
  });
  const { url, close } = await listening(server);
  return Object.assign(monitor, {
    url,
    apiKey,
    created,
    pings,
    uuid: () => uuid,
    failWith: (status: number | undefined) => {
      failure = status;
    },
    forget: () => {
      uuid = undefined;
    },
    close,
  });
}

function answer(response: ServerResponse, status: number, body: object | string): void {
  const isText = typeof body === 'string';
  response.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json' });
  response.end(isText ? body : JSON.stringify(body));
}
