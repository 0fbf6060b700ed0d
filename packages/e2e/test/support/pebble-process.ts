import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { until } from '@certloop/contracts/testing';
import { buildCsr, generateKeyPair } from '@certloop/crypto';
import { hasProgram } from '@certloop/server/testing';
import type { Clients } from '../../src/main-job.js';
import { freePort } from '../../src/stack-ports.js';

/** Whether pebble (Debian's package of that name) is there; says so where it is not. The gate installs it. */
export const isPebbleThere = hasProgram('pebble', 'nothing is ordered from a CA beside dummy-ca', ['-help']);

/** An ACME CA of another project. */
export interface PebbleProcess {
  readonly directoryUrl: string;
  /** PEM of the root that it issues under. */
  readonly rootPem: string;
  readonly stop: () => Promise<void>;
}

/** Starts pebble, which takes every name for proven, with a TLS certificate of dummy-ca's. */
export async function startPebble(
  { ca }: Clients,
  /** Variables by which it misbehaves. */
  faults: Readonly<Record<string, string>> = {},
): Promise<PebbleProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'certloop-pebble-'));
  const file = (name: string) => join(folder, name);
  const { privateKey } = await generateKeyPair('P-256');
  const csr = await buildCsr({ privateKey, dnsNames: ['localhost'] });
  const body = { action: 'sign' as const, csr: Buffer.from(csr.pem).toString('base64'), validity_days: 1 };
  const { certificate } = (await ca.signCsr({ body })).body;
  const caPem = (await ca.getRoot({})).body;
  await writeFile(file('tls.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  await writeFile(file('tls.pem'), certificate);
  const [listen, management] = [await freePort(), await freePort()];
  const config = {
    listenAddress: `127.0.0.1:${listen}`,
    managementListenAddress: `127.0.0.1:${management}`,
    certificate: file('tls.pem'),
    privateKey: file('tls.key'),
    httpPort: await freePort(),
    tlsPort: await freePort(),
    ocspResponderURL: '',
    externalAccountBindingRequired: false,
    certificateValidityPeriod: 86_400,
  };
  await writeFile(file('pebble.json'), JSON.stringify({ pebble: config }));
  const child = spawn('pebble', ['-config', file('pebble.json')], {
    env: {
      PATH: process.env['PATH'] ?? '',
      PEBBLE_VA_NOSLEEP: '1',
      PEBBLE_VA_ALWAYS_VALID: '1',
      ...faults,
    },
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  const root = () => textAt(`https://localhost:${management}/roots/0`, caPem).catch(() => undefined);
  return {
    directoryUrl: `https://localhost:${listen}/dir`,
    rootPem: await until(root),
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}

async function textAt(url: string, ca: string): Promise<string> {
  const asked = request(url, { ca }).end();
  const [response] = await once(asked, 'response');
  return (await buffer(response)).toString('utf8');
}
