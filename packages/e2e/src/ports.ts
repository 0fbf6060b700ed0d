import { createServer } from 'node:net';
import { StartFailed } from '@certloop/server';

const host = '127.0.0.1';

/** A port that was free a moment ago, another one at each call, in whichever process of this machine. */
export async function freePort(): Promise<number> {
  const port = await portOfTheMoment();
  return (await reserve(port)) ? port : freePort();
}

/**
 * Whether no one has reserved the port, which is this process's then until it ends. A service takes its port seconds
 * after it was found, and the system may give it out again until then; so anyone who finds one holds it at another
 * address. Where there is no such address, as on macOS, nothing is reserved.
 */
async function reserve(port: number): Promise<boolean> {
  const holder = createServer().unref();
  return new Promise((resolve) => {
    holder.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code !== 'EADDRINUSE'));
    holder.listen(port, '127.0.0.2', () => resolve(true));
  });
}

async function portOfTheMoment(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port was assigned');
  return address.port;
}

/** Throws StartFailed that names the port and the variable when the port cannot be taken. */
export async function requireFreePort(port: number, variable: string): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(portFailure(error, port, variable)));
    server.listen(port, host, resolve);
  });
  await new Promise((resolve) => server.close(resolve));
}

function portFailure(error: NodeJS.ErrnoException, port: number, variable: string): StartFailed {
  const reason = error.code === 'EADDRINUSE' ? 'is already in use' : `cannot be taken (${error.code})`;
  return new StartFailed(`port ${port} ${reason}; ${variable} chooses another`, { cause: error });
}
