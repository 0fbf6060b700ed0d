import { createServer } from 'node:http';
import { listening } from '../small-server.js';

/** The first two steps of an ACME server: a directory, and nonces. */
export interface FakeAcme {
  readonly directoryUrl: string;
  readonly paths: readonly string[];
  /** Answers for the directory from now on with this status and this text, or the valid ones again. */
  answer(status?: number, text?: string): void;
  close(): Promise<void>;
}

export async function startFakeAcme(): Promise<FakeAcme> {
  const paths: string[] = [];
  let reply: { readonly status: number; readonly text?: string | undefined } = { status: 200 };
  let base = '';
  const server = createServer((request, response) => {
    paths.push(`${request.method} ${request.url}`);
    if (request.url === '/nonce') return void response.writeHead(200, { 'replay-nonce': 'n1' }).end();
    const text = reply.text ?? JSON.stringify(directoryAt(base));
    response.writeHead(reply.status, { 'content-type': 'application/json', location: '/nonce' }).end(text);
  });
  const { url, close } = await listening(server);
  base = url;
  return {
    directoryUrl: `${url}/directory`,
    paths,
    answer: (status = 200, text) => {
      reply = { status, text };
    },
    close,
  };
}

/** A directory (RFC 8555 §7.1.1) at the address. */
export function directoryAt(base: string) {
  return { newNonce: `${base}/nonce`, newAccount: `${base}/account`, newOrder: `${base}/order` };
}
