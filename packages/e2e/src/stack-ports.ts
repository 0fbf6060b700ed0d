import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { StartFailed } from '@certloop/server';
import type { StackPorts } from './config.js';

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
async function requireFreePort(port: number, variable: string): Promise<void> {
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

const portVariables = {
  certManager: 'CERT_MANAGER_PORT',
  certManagerHttps: 'CERT_MANAGER_HTTPS_PORT',
  checkMonitor: 'CHECK_MONITOR_PORT',
  dummyCa: 'DUMMY_CA_PORT',
  dummyCaHttps: 'DUMMY_CA_HTTPS_PORT',
} as const;

/** Ports of a stack that is started. */
export interface ChosenPorts extends Required<StackPorts> {
  /** Where cert-manager answers challenges of http-01, and dummy-ca looks for the answers. */
  readonly http01: number;
}

/** Ports of the stack, with a free one for each 0. Throws StartFailed for a port that is taken or named twice. */
export async function choosePorts({
  dummyCaHttps = 0,
  certManagerHttps = 0,
  ...ports
}: StackPorts): Promise<ChosenPorts> {
  const { certManager, checkMonitor, dummyCa } = portVariables;
  if (ports.checkMonitor !== 0 && ports.checkMonitor === ports.certManager) {
    throw new StartFailed(`${certManager} and ${checkMonitor} are the same port, ${ports.checkMonitor}`);
  }
  if (ports.dummyCa !== 0 && [ports.certManager, ports.checkMonitor].includes(ports.dummyCa)) {
    throw new StartFailed(`${dummyCa} is the port of another service, ${ports.dummyCa}`);
  }
  if (dummyCaHttps !== 0 && Object.values(ports).includes(dummyCaHttps)) {
    throw new StartFailed(`${portVariables.dummyCaHttps} is the port of another service, ${dummyCaHttps}`);
  }
  if (certManagerHttps !== 0 && [dummyCaHttps, ...Object.values(ports)].includes(certManagerHttps)) {
    throw new StartFailed(
      `${portVariables.certManagerHttps} is the port of another service, ${certManagerHttps}`,
    );
  }
  return {
    certManager: await choosePort(ports.certManager, certManager),
    certManagerHttps: await choosePort(certManagerHttps, portVariables.certManagerHttps),
    checkMonitor: await choosePort(ports.checkMonitor, checkMonitor),
    dummyCa: await choosePort(ports.dummyCa, dummyCa),
    dummyCaHttps: await choosePort(dummyCaHttps, portVariables.dummyCaHttps),
    http01: await freePort(),
  };
}

async function choosePort(port: number, variable: string): Promise<number> {
  if (port === 0) return freePort();
  await requireFreePort(port, variable);
  return port;
}
