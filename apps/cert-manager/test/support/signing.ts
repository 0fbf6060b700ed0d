import type { Csr, Fqdn, Provider } from '@certloop/contracts';
import { buildCsr, generateKeyPair } from '@certloop/crypto';
import type { OpenTestDatabase } from '@certloop/db/testing';
import { issuances } from '../../src/issuance/signing/issuances.repository.js';
import { type SuiteApp, startApp, type TestApp, type TestAppOptions } from './app.js';
import { type FakeCa, startFakeCa } from './cas/fake-ca.js';
import { addCsr, addFqdn, addSpace } from './inventory.js';

/** Provider of the name, as the administrator sees it. */
export async function providerOf(app: TestApp, name: string): Promise<Provider> {
  const { body } = await app.request.get('/providers').set(app.people.ada.auth).expect(200);
  const found = (body as Provider[]).find((provider) => provider.name === name);
  if (found === undefined) throw new Error(`there is no provider ${name}`);
  return found;
}

/** Replaces the configuration of a provider as the administrator. */
export function configure(app: TestApp, { id }: Pick<Provider, 'id'>, config: object) {
  return app.request.put(`/providers/${id}/config`).set(app.people.ada.auth).send({ config });
}

/** Makes a provider as the administrator. */
export async function createProvider(app: TestApp, body: object): Promise<Provider> {
  const answer = await app.request.post('/providers').set(app.people.ada.auth).send(body).expect(201);
  return answer.body as Provider;
}

export function enable(app: TestApp, { id }: Pick<Provider, 'id'>, enabled = true) {
  return app.request.put(`/providers/${id}/enabled`).set(app.people.ada.auth).send({ enabled });
}

/** PEM of a new CSR with a key of its own. */
export async function newCsr(...dnsNames: string[]): Promise<string> {
  const { privateKey } = await generateKeyPair('P-256');
  const { pem } = await buildCsr({ privateKey, dnsNames, subject: { commonName: dnsNames[0] ?? '' } });
  return pem;
}

/** A new FQDN in a space of its own, with a CSR. */
export async function fqdnWithCsr(app: TestApp, hostname = 'www.example.org') {
  const space = await addSpace(app);
  const fqdn: Fqdn = await addFqdn(app, space.id, hostname);
  const csr: Csr = await addCsr(app, fqdn, await newCsr(hostname));
  return { space, fqdn, csr };
}

/** How many requests to CAs that issue at once are open, running or not. */
export function countOpenRequests({ database }: Pick<TestApp, 'database'>): Promise<number> {
  return database.read((tx) => tx.countBy(issuances, { isOrder: false }));
}

/** The application with a CA that the operator named to it. */
export async function startAppWithCa(
  open: OpenTestDatabase,
  environment: Readonly<Record<string, string>> = {},
  options: TestAppOptions = {},
): Promise<{ readonly app: SuiteApp; readonly ca: FakeCa; readonly close: () => Promise<void> }> {
  // the CA is there first, as its address is in the environment; its clock is the application's
  let now = () => new Date();
  const ca = await startFakeCa({ now: () => now() });
  const app = await startApp(open, {
    ...options,
    environment: { DUMMY_CA_URL: ca.url, ...environment },
  });
  now = () => options.caNow?.(app.clock.now()) ?? app.clock.now();
  await ca.restart();
  return {
    app,
    ca,
    close: async () => {
      await app.close();
      await ca.close();
    },
  };
}
