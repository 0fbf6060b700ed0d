import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as it arrived. */
interface HostileRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A server that does with callers what broken, careless and hostile ones do, and another origin beside it. */
export interface HostileServer {
  /** Without a slash at the end. */
  readonly url: string;
  /** Requests that arrived at `/arrived` of the server, and at its other origin; `reset` forgets it. */
  readonly arrived: readonly HostileRequest[];
  readonly elsewhere: readonly HostileRequest[];
  reset(): void;
  close(): Promise<void>;
}

const chunk = Buffer.alloc(65_536, 'x');

export async function startHostileServer(): Promise<HostileServer> {
  const arrived: HostileRequest[] = [];
  const elsewhere: HostileRequest[] = [];
  const other = createServer((request, response) => void noteAndAnswer(request, response, elsewhere));
  const otherUrl = await listen(other);
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    if (path.startsWith('/arrived')) return void noteAndAnswer(request, response, arrived);
    request.resume().on('end', () => misbehave(path.slice(1).split('/')[0] ?? '', response, otherUrl));
  });
  const url = await listen(server);
  return {
    url,
    arrived,
    elsewhere,
    reset: () => {
      arrived.length = 0;
      elsewhere.length = 0;
    },
    close: async () => {
      for (const one of [server, other]) {
        one.closeAllConnections();
        await new Promise((resolve) => one.close(resolve));
      }
    },
  };
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function noteAndAnswer(request: IncomingMessage, response: ServerResponse, to: HostileRequest[]) {
  const chunks: Buffer[] = [];
  for await (const part of request) chunks.push(part as Buffer);
  const { method = '', url: path = '', headers } = request;
  to.push({ method, path, headers, body: Buffer.concat(chunks).toString('utf8') });
  response.end('OK');
}

/** Answers by the first part of the path: a status, or a name below. */
function misbehave(what: string, response: ServerResponse, otherUrl: string): void {
  const redirect = (location: string, status = 307) =>
    response.writeHead(status, { Location: location }).end('moved');
  const ways: Readonly<Record<string, () => unknown>> = {
    loop: () => redirect('/loop'),
    elsewhere: () => redirect(`${otherUrl}/arrived`),
    metadata: () => redirect('http://169.254.169.254/latest'),
    port: () => redirect('http://127.0.0.1:25/'),
    file: () => redirect('file:///etc/passwd'),
    nowhere: () => redirect('http://['),
    'large-200': () => response.writeHead(200).end(Buffer.alloc(5_000_000, 'x')),
    'large-500': () => response.writeHead(500).end(Buffer.alloc(5_000_000, 'x')),
    endless: () => stream(response.writeHead(200)),
    'half-200': () => breakOff(response.writeHead(200, { 'Content-Length': 100 })),
    'half-500': () => breakOff(response.writeHead(500, { 'Content-Length': 100 })),
    'half-head': () => response.socket?.end('HTTP/1.1 200 OK\r\nContent-Le'),
    broken: () => response.socket?.end('200 OK\r\n\r\n'),
    silent: () => undefined,
  };
  const status = Number(what);
  if (status >= 300 && status < 400) redirect('/arrived', status);
  else if (status >= 200) response.writeHead(status).end(`answer ${status}`);
  else (ways[what] ?? (() => response.writeHead(400).end('no such way')))();
}

/** Sends without an end, until the caller hangs up. */
function stream(response: ServerResponse): void {
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more);
  more();
}

/** Ends the connection in the middle of the body, once its beginning has left. */
function breakOff(response: ServerResponse): void {
  response.write('begun', () => response.socket?.end());
}
