import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CostlyCall } from './call-costs.js';

/** Part of Express that is read: a layer is a route, or a router or function that is mounted at a path. */
interface Layer {
  readonly name: string;
  readonly handle: { readonly stack?: readonly Layer[] };
  readonly route?: Route;
  /** Whether it is mounted without a path. */
  readonly slash: boolean;
  readonly rawPath: string | readonly string[];
  match(path: string): false | { readonly path: string };
}

interface Route {
  readonly path: string | readonly string[];
  /** By lower-case names; `_all` for those that have no handler of their own. */
  readonly methods: Readonly<Record<string, boolean>>;
}

type Place = Pick<CostlyCall, 'method' | 'path'>;

/**
 * Methods and paths that the service routes by Express and that none of the calls reaches. Functions that are mounted
 * without a path, and what a service answers outside of Express, are not seen.
 */
export async function uncalledRoutes(handler: RequestListener, calls: readonly Place[]): Promise<string[]> {
  const stack = await layersOf(handler);
  const reached = new Set<string>();
  for (const { method, path } of calls)
    follow(stack, '', { method, path: path.split('?')[0] ?? '' }, reached);
  return placesOf(stack, '').filter((place) => !reached.has(place));
}

/** The layers of the Express application that answers a request to the handler. */
async function layersOf(handler: RequestListener): Promise<readonly Layer[]> {
  let app: { readonly router: { readonly stack: readonly Layer[] } } | undefined;
  const server = createServer((request, response) => {
    response.on('finish', () => {
      // Express gives each request a reference to its application
      ({ app } = request as unknown as { app?: typeof app });
    });
    handler(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await (await fetch(`http://127.0.0.1:${port}/nothing`)).arrayBuffer();
  server.closeAllConnections();
  server.close();
  if (app === undefined) throw new Error('no Express application answered');
  return app.router.stack;
}

/** Notes the places that the call reaches, as Express does; true where one answers it. */
function follow(stack: readonly Layer[], base: string, call: Place, reached: Set<string>): boolean {
  return stack.some((layer) => {
    const match = layer.match(call.path);
    if (match === false) return false;
    const at = base + patternOf(layer);
    const { stack: inner } = layer.handle;
    if (inner !== undefined && layer.route === undefined) {
      const rest = call.path.slice(match.path.length);
      const path = rest.startsWith('/') ? rest : `/${rest}`;
      return follow(inner, at, { ...call, path }, reached);
    }
    const method = layer.route === undefined ? '*' : methodAt(layer.route, call.method);
    if (method === undefined) return false;
    reached.add(`${method} ${at}`);
    return layer.route !== undefined;
  });
}

function methodAt({ methods }: Pick<Route, 'methods'>, method: string): string | undefined {
  if (namedOf({ methods }).includes(method)) return method;
  return methods['_all'] === true || methods[method.toLowerCase()] === true ? '*' : undefined;
}

/** The methods that have handlers of their own; none of a path that has the same one for all. */
function namedOf({ methods }: Pick<Route, 'methods'>): string[] {
  const named = Object.keys(methods).filter((method) => method !== '_all');
  return named.length > 10 ? [] : named.map((method) => method.toUpperCase());
}

/** Each method of each path. A method that only refuses the others of its path counts where it is alone. */
function placesOf(stack: readonly Layer[], base: string): string[] {
  return stack.flatMap((layer) => {
    const at = base + patternOf(layer);
    if (layer.route === undefined) {
      if (layer.handle.stack !== undefined) return placesOf(layer.handle.stack, at);
      return layer.slash ? [] : [`* ${at}`];
    }
    const named = namedOf(layer.route);
    return named.length === 0 ? [`* ${at}`] : named.map((method) => `${method} ${at}`);
  });
}

function patternOf({ route, rawPath, slash }: Layer): string {
  const path = route?.path ?? (slash ? '' : rawPath);
  return typeof path === 'string' ? path : path.join('|');
}
