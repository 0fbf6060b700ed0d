import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listen } from '../../process/listen.js';
import type { Listener } from './raw-responses.js';
import { testCertificate } from './test-certificate.js';

export interface BothWays {
  readonly TCP: Listener;
  readonly TLS: Listener;
  close(): Promise<void>;
}

/** Serves a handler over TCP and over TLS as services do; `prepare` is the service's `answerUnparsed`. */
export async function serveBothWays(
  handler: RequestListener,
  prepare: (server: Server) => void,
): Promise<BothWays> {
  const options = { host: '127.0.0.1', port: 0, drainMs: 1_000 };
  const plain = await listen(handler, options);
  const secure = await listen(handler, { ...options, tls: testCertificate });
  for (const { server } of [plain, secure]) prepare(server);
  const portOf = (server: Server) => (server.address() as AddressInfo).port;
  return {
    TCP: { port: portOf(plain.server), isTls: false },
    TLS: { port: portOf(secure.server), isTls: true },
    close: async () => void (await Promise.all([plain.close(), secure.close()])),
  };
}
