import type { Fqdn, RequestReply } from '@certloop/contracts';
import { freePort } from '@certloop/contracts/testing';
import type { OpenTestDatabase } from '@certloop/db/testing';
import { type Listening, listen } from '@certloop/server';
import { startApp, type TestApp } from '../app.js';
import { addCsr, addFqdn, addSpace, pathOf } from '../inventory.js';
import { configure, enable, providerOf } from '../signing.js';
import { type Pebble, type PebbleOptions, startPebble } from './pebble.js';

/** cert-manager whose ACME provider orders from pebble. */
export interface PebblePlace {
  readonly app: TestApp;
  readonly pebble: Pebble;
  readonly providerId: string;
  readonly close: () => Promise<void>;
}

export async function startPebblePlace(
  open: OpenTestDatabase,
  options: Omit<PebbleOptions, 'httpPort'>,
  config: (pebble: Pebble) => object,
): Promise<PebblePlace> {
  const httpPort = await freePort();
  const pebble = await startPebble({ httpPort, ...options });
  const app = await startApp(open, {
    environment: { ENCRYPTION_KEYS: `one:${Buffer.alloc(32, 7).toString('base64')}` },
    now: new Date(),
    orders: { pause: (ms) => new Promise((resolve) => setTimeout(resolve, Math.min(ms, 50))) },
  });
  const served: Listening = await listen(app.http, { host: '127.0.0.1', port: httpPort });
  const provider = await providerOf(app, 'acme');
  await configure(app, provider, {
    directoryUrl: pebble.directoryUrl,
    caBundlePem: pebble.caPem,
    termsOfServiceAgreed: true,
    contactEmails: ['ada@example.org'],
    allowPrivateNetwork: true,
    ...config(pebble),
  }).expect(200);
  await enable(app, provider).expect(200);
  return {
    app,
    pebble,
    providerId: provider.id,
    close: async () => {
      await app.close();
      await served.close();
      await pebble.close();
    },
  };
}

/** An FQDN in a space of its own, with the CSR. */
export async function fqdnFor(app: TestApp, csrPem: string, hostname: string): Promise<Fqdn> {
  const { id } = await addSpace(app);
  const fqdn = await addFqdn(app, id, hostname);
  await addCsr(app, fqdn, csrPem);
  return fqdn;
}

/** Requests a certificate and waits for its end. */
export async function order(app: TestApp, fqdn: Fqdn, body: object = {}): Promise<RequestReply> {
  // pebble has a clock of its own
  app.clock.set(new Date());
  const answer = await app.request
    .post(pathOf(fqdn, 'request-certificate'))
    .set(app.people.ada.auth)
    .send(body)
    .expect(200);
  return answer.body as RequestReply;
}
