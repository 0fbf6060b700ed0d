import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AlertReach } from '@certloop/contracts';
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

/** What the monitor is asked, as `POST /checks/`; uuids are omitted. */
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
  /** What it says of its integrations; an older monitor, which has no such path, when undefined. */
  alerts: AlertReach | undefined;
  forget(): void;
  close(): Promise<void>;
}

const apiKey = 'monitor-key-that-no-log-may-show';

/** Project of the checks. */
export const projectId = '00000000-0000-4000-8000-0000000000aa';

type Reply = readonly [status: number, body: object];
type Settings = StoredCheck['settings'];

/** What the monitor stores, and how it answers. */
interface MonitorState extends Pick<WatchingMonitor, 'limit' | 'channels' | 'failing' | 'losing' | 'alerts'> {
  readonly checksByUuid: Map<string, StoredCheck>;
}

export async function startWatchingMonitor(): Promise<WatchingMonitor> {
  const checksByUuid = new Map<string, StoredCheck>();
  const limit = Number.POSITIVE_INFINITY;
  const state: MonitorState = {
    checksByUuid,
    limit,
    channels: 'a-channel',
    failing: undefined,
    losing: undefined,
    alerts: undefined,
  };
  const asked: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await textOf(request);
    const url = new URL(request.url ?? '/', 'http://monitor');
    const line = `${request.method} ${url.pathname.replace('/api/v3', '').replaceAll(/[0-9a-f-]{36}/g, '*')}`;
    if (url.pathname !== '/api/v3/key') asked.push(line);
    const { failing, losing } = state;
    const [status, said] = failing?.path.test(line) ? [failing.status, {}] : serve(state, request, url, body);
    if (losing?.test(line)) return request.socket.destroy();
    response.writeHead(status, { 'content-type': 'application/json' });
    return response.end(JSON.stringify(said));
  };
  const { url, close } = await listening(createServer((request, response) => void answer(request, response)));
  const checks = () => [...checksByUuid.values()];
  return Object.assign(state, {
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

function serve(state: MonitorState, request: IncomingMessage, url: URL, body: string): Reply {
  if (url.pathname === '/api/v3/key') return ownKey(state, request, url);
  const [, managed] = /^\/api\/v3\/checks\/(.*)$/.exec(url.pathname) ?? [];
  if (managed === undefined) {
    const [, uuid = '', signal = ''] = /^\/ping\/([^/]+)\/?(.*)$/.exec(url.pathname) ?? [];
    return ping(state, uuid, { signal, rid: url.searchParams.get('rid'), body });
  }
  if (request.headers['x-api-key'] !== apiKey) return [401, { error: 'wrong api key' }];
  if (managed !== '') return change(state, managed, request.method, body);
  if (request.method === 'POST') return create(state, JSON.parse(body) as Settings);
  const found = [...state.checksByUuid.values()].filter(
    (check) => check.settings['slug'] === url.searchParams.get('slug'),
  );
  return [200, { checks: found.map(viewOf) }];
}

function ownKey({ alerts }: MonitorState, request: IncomingMessage, { searchParams }: URL): Reply {
  if (request.headers['x-api-key'] !== apiKey) return [401, { error: 'wrong api key' }];
  if (alerts === undefined) return [404, {}];
  const isAsked = searchParams.get('include') === 'alerts' && searchParams.get('tag') === 'certloop';
  const project = { id: projectId, name: 'Certificates' };
  return [200, { kind: 'read-write', project, ...(isAsked && { alerts }) }];
}

function ping({ checksByUuid }: MonitorState, uuid: string, sent: StoredCheck['pings'][number]): Reply {
  const check = checksByUuid.get(uuid);
  if (check === undefined) return [404, {}];
  check.pings.push({ ...sent, signal: sent.signal === '' ? 'success' : sent.signal });
  return [200, {}];
}

function create(state: MonitorState, settings: Settings): Reply {
  const { checksByUuid, limit } = state;
  const found = [...checksByUuid.values()].find((check) => check.settings['slug'] === settings['slug']);
  if (found === undefined && checksByUuid.size >= limit) return [403, { error: 'too many checks' }];
  const before = found ?? { uuid: randomUUID(), pings: [], settings: {}, channels: '' };
  return [found === undefined ? 201 : 200, viewOf(edited(state, before, settings))];
}

function change(state: MonitorState, uuid: string, method: string | undefined, body: string): Reply {
  const check = state.checksByUuid.get(uuid);
  if (check === undefined) return [404, { error: 'not found' }];
  if (method !== 'DELETE') return [200, viewOf(edited(state, check, JSON.parse(body) as Settings))];
  state.checksByUuid.delete(uuid);
  return [200, viewOf(check)];
}

function edited({ checksByUuid, channels: all }: MonitorState, check: StoredCheck, settings: Settings) {
  const channels = settings['channels'] === '*' ? all : check.channels;
  const changed = { ...check, settings: { ...check.settings, ...settings }, channels };
  checksByUuid.set(check.uuid, changed);
  return changed;
}

function viewOf({ uuid, settings, channels, pings }: StoredCheck) {
  return {
    ...settings,
    channels,
    uuid,
    n_pings: pings.length,
    ping_url: `http://elsewhere.invalid/ping/${uuid}`,
  };
}
