import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { AppError } from '@certloop/contracts';
import { ConfigError, guardOutput, StartFailed } from '@certloop/server';
import { inheritedEnvironment, readStackConfig } from './config.js';
import { type Credentials, findCredentials } from './credentials.js';
import {
  addFqdn,
  awaitHeartbeat,
  clientsOf,
  hostnameOf,
  judgeCertificate,
  makeCsr,
  makeSpace,
  signCsr,
  uploadCsr,
} from './main-job.js';
import { isAnswering } from './service-process.js';
import { startStack } from './stack.js';

const usage = `npm run demo                      drives the main job with a fresh key and CSR
npm run demo -- --csr FILE        the same with a CSR of yours (PEM); its key is not needed
`;

/** Runs a named step and prints the result and how long it took. */
async function step<T>(name: string, run: () => Promise<T>, describe: (result: T) => string): Promise<T> {
  const began = performance.now();
  try {
    const result = await run();
    print('ok  ', name, began, describe(result));
    return result;
  } catch (error) {
    print('FAIL', name, began, error instanceof Error ? error.message : String(error));
    throw new StepFailed(name);
  }
}

class StepFailed extends Error {}

function print(mark: string, name: string, began: number, detail: string): void {
  const ms = (performance.now() - began).toFixed(0).padStart(6);
  process.stdout.write(`${mark} ${name.padEnd(34)} ${ms} ms  ${detail}\n`);
}

/** The main job against a running stack, step by step. Throws StepFailed at the first step that fails. */
async function closeTheLoop(credentials: Credentials, csrFile: string | undefined): Promise<void> {
  const clients = clientsOf(credentials);
  const stamp = Date.now().toString(36);
  const csrPem = await step(
    csrFile === undefined ? 'make a P-256 key and a CSR' : 'read the CSR',
    () => (csrFile === undefined ? makeCsr(`demo-${stamp}.example.test`) : readFile(csrFile, 'utf8')),
    (pem) => `for ${hostnameOf(pem)}`,
  );
  const hostname = hostnameOf(csrPem);
  const space = await step(
    'create a space',
    () => makeSpace(clients, `Demo ${stamp}`),
    ({ name }) => name,
  );
  const fqdn = await step(
    'create an FQDN',
    () => addFqdn(clients, space.id, hostname),
    (created) => created.fqdn,
  );
  const place = { spaceId: space.id, fqdnId: fqdn.id };
  await step(
    'upload the CSR',
    () => uploadCsr(clients, place, fqdn.fqdn, csrPem),
    () => 'the key stayed here',
  );
  const certificate = await step(
    'sign it through the dummy CA',
    () => signCsr(clients, place),
    ({ issuer }) => `by ${issuer}`,
  );
  await step(
    'check key, names and chain to /root',
    () => judgeCertificate(clients, certificate.pem, csrPem),
    ({ serialNumber, notAfter }) => `serial ${serialNumber}, until ${notAfter.toISOString().slice(0, 10)}`,
  );
  await step(
    'see the heartbeat check up',
    () => awaitHeartbeat(clients, 90_000),
    ({ name, n_pings: pings }) => `${name}, ${pings} pings`,
  );
}

/** Runs against the stack that runs here, or one of its own on free ports. */
async function withStack(run: (credentials: Credentials) => Promise<void>): Promise<void> {
  const running = await findCredentials(readStackConfig().dataDir);
  if (running !== undefined && (await isAnswering(`${running.certManager.url}/health/ready`))) {
    process.stdout.write(`using the stack at ${running.certManager.url}\n`);
    return run(running);
  }
  process.stdout.write('no stack runs here: starting one on free ports\n');
  const dataDir = await mkdtemp(join(tmpdir(), 'certloop-demo-'));
  const ports = { certManager: 0, checkMonitor: 0, dummyCa: 0 };
  const interrupted = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interrupted.abort());
  try {
    const stack = await startStack(
      { dataDir, ports, environment: inheritedEnvironment() },
      interrupted.signal,
    );
    await run(stack.credentials).finally(() => stack.stop());
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function demo(): Promise<number> {
  try {
    const { values } = parseArgs({
      options: { csr: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    });
    if (values.help === true) {
      process.stdout.write(usage);
      return 0;
    }
    const began = performance.now();
    await withStack((credentials) => closeTheLoop(credentials, values.csr));
    process.stdout.write(`the loop closed in ${((performance.now() - began) / 1000).toFixed(1)} s\n`);
    return 0;
  } catch (error) {
    if (error instanceof StepFailed)
      process.stderr.write(`certloop: the loop did not close: ${error.message}\n`);
    else if (isExpected(error)) process.stderr.write(`certloop: ${error.message}\n`);
    else throw error;
    return 1;
  }
}

function isExpected(error: unknown): error is Error {
  const known = error instanceof StartFailed || error instanceof ConfigError || error instanceof AppError;
  return known || (error instanceof TypeError && 'code' in error);
}

guardOutput('certloop');
process.exitCode = await demo();
