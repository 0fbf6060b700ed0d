import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as it arrived. */
export interface Recorded {
  readonly method: string;
  /** Path with query, undecoded. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Recorder {
  /** Base address without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** What arrived since the last `reset`, oldest first. */
  readonly requests: Recorded[];
  /** Decides what is answered; 200 and nothing before the first call and after a `reset`. */
  answer(respond: Respond): void;
  reset(): void;
  close(): Promise<void>;
}

export type Respond = (response: ServerResponse, request: Recorded, count: number) => void;

/** A small HTTP server on a free port of this machine that keeps what it is sent. */
export async function startRecorder(): Promise<Recorder> {
  const requests: Recorded[] = [];
  const ok: Respond = (response) => response.end();
  let respond = ok;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      const recorded = { method, path, headers, body: Buffer.concat(chunks).toString('utf8') };
      requests.push(recorded);
      respond(response, recorded, requests.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    answer: (next) => {
      respond = next;
    },
    reset: () => {
      requests.length = 0;
      respond = ok;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
