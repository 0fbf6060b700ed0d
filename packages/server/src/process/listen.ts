import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { twoHosts } from '../http/unparsed-requests.js';

/** A start that cannot go on, in one sentence for the operator. */
export class StartFailed extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartFailed';
  }
}

/** PEM of a private key and of its certificate chain, leaf first. */
export interface TlsPair {
  readonly key: string;
  readonly cert: string;
}

export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** Milliseconds that a whole request may take to arrive. */
  readonly requestTimeoutMs?: number;
  /** Milliseconds that running requests may take when it closes; 10 s when absent. */
  readonly drainMs?: number;
  /** With it the service speaks https alone; with `later` it rejects every handshake until `useTls` is called. */
  readonly tls?: TlsPair | 'later';
}

export interface Listening {
  readonly server: Server;
  /** Base address without a trailing slash. */
  readonly url: string;
  /** Uses this key and certificate for new connections; only a server that speaks https has it. */
  readonly useTls?: (pair: TlsPair) => void;
  /** Stops taking connections, lets running requests end, and cuts them after `drainMs`. */
  close(): Promise<void>;
}

/**
 * Serves the handler. A request with two Host fields does not reach it (RFC 9112 3.2): it is 400, in the words of
 * `answerUnparsed` where that was called. Throws StartFailed when the port is taken, not
 * permitted, or the host unknown.
 */
export async function listen(handler: RequestListener, options: ListenOptions): Promise<Listening> {
  const requestTimeout = options.requestTimeoutMs ?? 15_000;
  const times = {
    requestTimeout,
    headersTimeout: Math.min(10_000, requestTimeout),
    // Node looks for late requests this often; its own 30 s would more than double their time.
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: 65_000,
  };
  const { tls } = options;
  const guarded: RequestListener = (request, response) => {
    if (hasOneHost(request)) handleSafely(handler, request, response);
    else if (!server.emit(twoHosts, request, response)) {
      response.writeHead(400, { Connection: 'close' }).end();
    }
  };
  const secure = tls === undefined ? undefined : createSecureServer({ ...times, tls }, guarded);
  const server: Server = secure ?? createServer(times, guarded);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(startFailure(error, options)));
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    server,
    url: `${tls === undefined ? 'http' : 'https'}://${host}:${port}`,
    ...(secure !== undefined && { useTls: ({ key, cert }) => secure.setSecureContext({ key, cert }) }),
    close: () => drain(server, options.drainMs ?? 10_000),
  };
}

function createSecureServer(
  { tls, ...times }: ServerOptions & { readonly tls: TlsPair | 'later' },
  guarded: RequestListener,
): TlsServer {
  const pair = tls === 'later' ? {} : { key: tls.key, cert: tls.cert };
  const server = createTlsServer({ ...times, ...pair, handshakeTimeout: times.headersTimeout }, guarded);
  // A client that has sent its end still gets its response, over TLS as over TCP. Before its handshake it gets none: a connection
  // that was half open then would last until `handshakeTimeout`, and hold up a server that closes.
  server.on('secureConnection', (socket) => {
    socket.allowHalfOpen = true;
  });
  return server;
}

/** Why a listener, of whatever protocol, could not be opened, as a sentence for the operator. */
export function startFailure(
  error: NodeJS.ErrnoException,
  { host, port }: Pick<ListenOptions, 'host' | 'port'>,
): StartFailed {
  const place = `port ${port} on ${host}`;
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `${place} is already in use`,
    EACCES: `${place} needs more rights than this user has`,
    EADDRNOTAVAIL: `${host} is not an address of this machine`,
    ENOTFOUND: `${host} is not a known host`,
  };
  return new StartFailed(reasons[error.code ?? ''] ?? `cannot listen on ${place}: ${error.message}`, {
    cause: error,
  });
}

/**
 * Ends the connection when a handler throws, and turns the error into an unexpected rejection: thrown here, it would
 * end the process.
 */
function handleSafely(handler: RequestListener, request: IncomingMessage, response: ServerResponse): void {
  try {
    handler(request, response);
  } catch (error) {
    response.destroy();
    void Promise.reject(error);
  }
}

/** Node hands on the first Host field and drops the others, while a proxy may have judged the last one. */
function hasOneHost({ rawHeaders }: IncomingMessage): boolean {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count < 2;
}

// a server that gets connections without a pause ends, too
const maxTurns = 1_000;

/** Lets the server accept the connections that wait for it: the kernel resets them when the socket is closed. */
async function acceptWaiting(server: Server): Promise<void> {
  let hasAccepted = true;
  const note = () => {
    hasAccepted = true;
  };
  server.on('connection', note);
  for (let turn = 0; hasAccepted && turn < maxTurns; turn += 1) {
    hasAccepted = false;
    // the event loop accepts a connection between two of its turns
    await nextTurn();
    await nextTurn();
  }
  server.off('connection', note);
}

async function drain(server: Server, drainMs: number): Promise<void> {
  // The client then sends its next request elsewhere, instead of into a connection that is being closed.
  server.prependListener('request', (_, response: ServerResponse) =>
    response.setHeader('Connection', 'close'),
  );
  await acceptWaiting(server);
  // A keep-alive connection becomes idle only when its running request ends: look again until then.
  const sweep = setInterval(() => server.closeIdleConnections(), 20);
  const cut = setTimeout(() => server.closeAllConnections(), drainMs);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  clearInterval(sweep);
  clearTimeout(cut);
}
