import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listening, textOf } from '../small-server.js';

/** A check as the monitor keeps it. */
export interface StoredCheck {
  readonly uuid: string;
  readonly settings: Readonly<Record<string, unknown>>;
  /** Its integrations, as the monitor shows them. */
  readonly channels: string;
  /** `success`, `fail` or `log` with its body, in the order of their coming. */
  readonly pings: { readonly signal: string; readonly rid: string | null; readonly body: string }[];
}

/** What the monitor is asked, as `POST /checks/`; uuids are left out. */
type Asked = string;

/** A monitor that stores many checks, identified by their slugs. */
export interface WatchingMonitor {
  readonly url: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Checks of FQDNs, by their making. */
  checks(): StoredCheck[];
  /** The only check. */
  check(): StoredCheck;
  readonly asked: Asked[];
  /** How many checks it takes; any number at first. */
  limit: number;
  /** All its integrations, as it shows them. */
  channels: string;
  /** Status that it answers such requests with, instead of doing what they say. */
  failing: { readonly path: RegExp; readonly status: number } | undefined;
  /** The same, after it has done what they say. */
  losing: RegExp | undefined;
  forget(): void;
  close(): Promise<void>;
}

const apiKey = 'monitor-key-that-no-log-may-show';

export async function startWatchingMonitor(): Promise<WatchingMonitor> {
  const checksByUuid = new Map<string, StoredCheck>();
  const monitor = {
    limit: Number.POSITIVE_INFINITY,
    channels: 'a-channel',
    failing: undefined,
    losing: undefined,
  } as Pick<WatchingMonitor, 'limit' | 'channels' | 'failing' | 'losing'>;
  const asked: string[] = [];
  const viewOf = ({ uuid, settings, channels, pings }: StoredCheck) => {
    return {
      ...settings,
      channels,
      uuid,
      n_pings: pings.length,
      ping_url: `http://elsewhere.invalid/ping/${uuid}`,
    };
  };

  const create = (settings: StoredCheck['settings']): [number, object] => {
    const found = [...checksByUuid.values()].find((check) => check.settings['slug'] === settings['slug']);
    if (found === undefined && checksByUuid.size >= monitor.limit) return [403, { error: 'too many checks' }];
    const check = edited(found ?? { uuid: randomUUID(), pings: [], settings: {}, channels: '' }, settings);
    return [found === undefined ? 201 : 200, viewOf(check)];
  };
  const edited = (check: StoredCheck, settings: StoredCheck['settings']): StoredCheck => {
    const channels = settings['channels'] === '*' ? monitor.channels : check.channels;
    const changed = { ...check, settings: { ...check.settings, ...settings }, channels };
    checksByUuid.set(check.uuid, changed);
    return changed;
  };
  const manage = (method: string, path: string, query: URLSearchParams, body: string): [number, object] => {
    if (path === '' && method === 'POST') return create(JSON.parse(body) as StoredCheck['settings']);
    if (path === '') {
      const found = [...checksByUuid.values()].filter(
        (check) => check.settings['slug'] === query.get('slug'),
      );
      return [200, { checks: found.map(viewOf) }];
    }
    const check = checksByUuid.get(path);
    if (check === undefined) return [404, { error: 'not found' }];
    if (method === 'DELETE') checksByUuid.delete(path);
    else edited(check, JSON.parse(body) as StoredCheck['settings']);
    return [200, viewOf(checksByUuid.get(path) ?? check)];
  };
  const ping = (uuid: string, signal: string, rid: string | null, body: string): [number, object] => {
    const check = checksByUuid.get(uuid);
    if (check === undefined) return [404, {}];
    check.pings.push({ signal: signal === '' ? 'success' : signal, rid, body });
    return [200, {}];
  };
  const serve = (request: IncomingMessage, url: URL, body: string): [number, object] => {
    const [, managed] = /^\/api\/v3\/checks\/(.*)$/.exec(url.pathname) ?? [];
    if (managed === undefined) {
      const [, uuid = '', signal = ''] = /^\/ping\/([^/]+)\/?(.*)$/.exec(url.pathname) ?? [];
      return ping(uuid, signal, url.searchParams.get('rid'), body);
    }
    if (request.headers['x-api-key'] !== apiKey) return [401, { error: 'wrong api key' }];
    return manage(request.method ?? 'GET', managed, url.searchParams, body);
  };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await textOf(request);
    const url = new URL(request.url ?? '/', 'http://monitor');
    const line = `${request.method} ${url.pathname.replace('/api/v3', '').replaceAll(/[0-9a-f-]{36}/g, '*')}`;
    asked.push(line);
    const { failing, losing } = monitor;
    const [status, said] = failing?.path.test(line) ? [failing.status, {}] : serve(request, url, body);
    if (losing?.test(line)) return request.socket.destroy();
    response.writeHead(status, { 'content-type': 'application/json' });
    return response.end(JSON.stringify(said));
  };
  const { url, close } = await listening(createServer((request, response) => void answer(request, response)));
  const checks = () => [...checksByUuid.values()];
  return Object.assign(monitor, {
    url,
    environment: { CHECK_MONITOR_URL: url, CHECK_MONITOR_API_KEY: apiKey },
    checks,
    check: () => {
      const [only] = checks();
      if (only === undefined || checksByUuid.size > 1)
        throw new Error(`${checksByUuid.size} checks instead of one`);
      return only;
    },
    asked,
    forget: () => checksByUuid.clear(),
    close,
  });
}
