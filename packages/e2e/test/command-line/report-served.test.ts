import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { buildCsr, exportPrivateKeyPem, generateKeyPair } from '@certloop/crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addFqdn, makeSpace, type Place, signCsr, uploadCsr } from '../../src/main-job.js';
import { runCertloop } from '../support/certloop.js';
import { type Cleanup, type RunningStack, startTestStack } from '../support/test-stack.js';

const hostname = 'www.example.test';
const cleanups: Cleanup[] = [];
const server = createServer({ ca: [] });
let running: RunningStack;
let params: Place;
let keyPem: string;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => new Promise((done) => server.close(done)));
  running = await startTestStack('sqlite', {}, cleanups);
  const { clients } = running;
  const { id: spaceId } = await makeSpace(clients, 'Shop');
  params = { spaceId, fqdnId: (await addFqdn(clients, spaceId, hostname)).id };
  const { privateKey } = await generateKeyPair('P-256');
  keyPem = exportPrivateKeyPem(privateKey);
  const { pem } = await buildCsr({ privateKey, dnsNames: [hostname], subject: { commonName: hostname } });
  await uploadCsr(clients, params, hostname, pem);
});
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

/** The command in this process, as a machine that reaches the server runs it. */
function report(...args: readonly string[]) {
  const { url, token } = running.stack.credentials.certManager;
  const env = { CERTLOOP_URL: url, CERTLOOP_TOKEN: token, HOME: '/nonexistent' };
  return runCertloop(['probe', '--report', ...args], { env });
}

const findServed = async () => (await running.clients.manager.getServed({ params })).body;

test('certloop probe --report rejects an FQDN without targets', async () => {
  expect(await report(hostname)).toMatchObject({
    code: 2,
    err: expect.stringContaining(`${hostname} has no targets`),
  });
});

test('certloop probe --report stores the certificate of a server that cert-manager does not probe', async () => {
  const { manager } = running.clients;
  const { pem } = await signCsr(running.clients, params);
  server.setSecureContext({ ca: [], key: keyPem, cert: pem });
  const { port } = server.address() as AddressInfo;
  const body = { host: '127.0.0.1', port, sni: hostname, mode: 'report' as const };
  await manager.createTarget({ params, body });
  const { code, out, err } = await report(hostname, '--json');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(JSON.parse(out)).toMatchObject([
    {
      fqdn: hostname,
      place: `127.0.0.1:${port}`,
      address: '127.0.0.1',
      class: 'current',
      observer: 'report',
    },
  ]);
  expect(await findServed()).toMatchObject({ class: 'current' });

  await signCsr(running.clients, params);
  expect(await report(hostname)).toMatchObject({ code: 0, out: expect.stringMatching(/ previous /) });
  const stale = { graceSeconds: 0 };
  const [target] = (await manager.listTargets({ params })).body;
  await manager.updateTarget({ params: { ...params, targetId: String(target?.id) }, body: stale });
  const { expected } = await findServed();
  const found = await report(hostname);
  expect(found).toMatchObject({ code: 1, out: expect.stringMatching(/ stale /) });
  expect(found.err).toContain(`127.0.0.1:${port} still serves certificate`);
  expect(found.err).toContain(`${expected?.serialNumber} was issued on`);
  expect(await findServed()).toMatchObject({ class: 'stale' });
});

test('certloop probe --report stores that a server cannot be reached', async () => {
  await new Promise((done) => server.close(done));
  expect(await report(hostname)).toMatchObject({ code: 1, out: expect.stringMatching(/ unreachable/) });
  const [target] = (await findServed()).targets;
  expect(target?.addresses).toMatchObject([
    { class: 'unreachable', stage: 'refused', failure: 'connection_refused', observer: 'report' },
  ]);
});
