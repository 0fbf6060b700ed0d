import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { freePort } from '@certloop/contracts/testing';

/** The server on a free port of 127.0.0.1; `close` also cuts what it has not answered. */
export async function listening(
  server: Server,
): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Address on this machine at which no one listens, and whose port the system gives to no other test. */
export async function silentAddress(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}`;
}

export async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
