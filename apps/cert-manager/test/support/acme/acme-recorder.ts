import type { IncomingMessage, ServerResponse } from 'node:http';
import { request as ask, createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** A request to an ACME server, with what it answered. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  /** What the payload of a signed request says; undefined if there is none. */
  readonly payload: Readonly<Record<string, unknown>> | undefined;
  readonly status: number;
  /** The answer where it is JSON. */
  readonly answer: Readonly<Record<string, unknown>> | undefined;
}

export interface AcmeRecorder {
  /** Origin at which the server is reached through it. */
  readonly url: string;
  readonly exchanges: readonly Exchange[];
  readonly close: () => Promise<void>;
}

/** Identity for TLS, as PEM. */
interface TlsIdentity {
  readonly key: string;
  readonly cert: string;
  /** What the server behind it is trusted by. */
  readonly ca: string;
}

/**
 * Passes requests on to the ACME server at the origin and records them. The Host stays, so that the server gives
 * addresses that lead through here, and finds them in signed requests.
 */
export async function recordAcme(target: string, { key, cert, ca }: TlsIdentity): Promise<AcmeRecorder> {
  const exchanges: Exchange[] = [];
  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = 'GET', url: path = '/', headers } = request;
    const body = await octetsOf(request);
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      ask(`${target}${path}`, { method, headers, ca }, resolve).once('error', reject).end(body);
    });
    const octets = await octetsOf(answer);
    const status = answer.statusCode ?? 0;
    exchanges.push({ method, path, payload: payloadOf(body), status, answer: objectOf(octets.toString()) });
    response.writeHead(status, answer.headers).end(octets);
  };
  const server = createServer({ key, cert }, (request, response) => {
    pass(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exchanges,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function octetsOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function payloadOf(body: Buffer): Exchange['payload'] {
  const payload = objectOf(body.toString())?.['payload'];
  return typeof payload === 'string'
    ? objectOf(Buffer.from(payload, 'base64url').toString('utf8'))
    : undefined;
}

function objectOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
