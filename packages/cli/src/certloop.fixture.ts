import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type Io, processIo, type Sink } from './io.js';
import { run } from './run.js';

/** Output of a command line, and its exit code. */
export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

interface Call {
  readonly env: Readonly<Record<string, string>>;
  /** Width of the terminal that it writes to; a pipe when absent. */
  readonly columns?: number | undefined;
  readonly io?: Partial<Io>;
}

/** Runs a command line in this process; pauses take no time. */
export async function runCertloop(args: readonly string[], { env, columns, io }: Call): Promise<Said> {
  const said = { out: '', err: '' };
  const sink = (name: 'out' | 'err'): Sink =>
    Object.assign(
      new Writable({
        write: (chunk, _encoding, done) => {
          said[name] += String(chunk);
          done();
        },
      }),
      columns === undefined ? {} : { isTTY: true, columns },
    );
  const streams = { out: sink('out'), err: sink('err') };
  const given = { ...processIo(), askSecret: async () => 'secret', pause: async () => undefined, ...streams };
  return { code: await run(args, { ...given, env, ...io }), ...said };
}

/** One request that a service received. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

/** Response of the service; the body as JSON. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A service on loopback that answers by a function, with all requests that it received. */
export async function serve(answer: (request: Received) => Answer) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://service');
      const one = { method: request.method ?? '', path: pathname, query: searchParams, body };
      received.push(one);
      const { status, body: answered, headers } = answer(one);
      const type = { 'content-type': 'application/json', connection: 'close' };
      response.writeHead(status, { ...type, ...headers });
      response.end(JSON.stringify(answered));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const sent = await text(request);
  return request.headers['content-type'] === 'application/json' ? JSON.parse(sent) : sent;
}
