import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { StartFailed } from '@certloop/server';

const host = '127.0.0.1';

/**
 * A port that was free a moment ago, another one at each call, in whichever process of this machine. It lies below those
 * that systems give to outgoing connections and to servers without a chosen port (from 32768 on Linux, 49152 elsewhere),
 * which could take it before the service does, and above those of single programs in tests.
 */
export async function freePort(): Promise<number> {
  const port = 23_000 + randomInt(9_000);
  return (await isFree(port)) && (await reserve(port)) ? port : freePort();
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, host, () => server.close(() => resolve(true)));
  });
}

/**
 * Whether no process has reserved the port, which is this process's then until it ends. A service takes its port seconds
 * after it was found; until then the port is held at another address. Where there is no such address, as on macOS,
 * nothing is reserved.
 */
async function reserve(port: number): Promise<boolean> {
  const holder = createServer().unref();
  return new Promise((resolve) => {
    holder.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code !== 'EADDRINUSE'));
    holder.listen(port, '127.0.0.2', () => resolve(true));
  });
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
