import { randomBytes } from 'node:crypto';
import type { Fqdn, RequestReply } from '@certloop/contracts';
import { freePort } from '@certloop/contracts/testing';
import { certificateLabel, createRoot, formatPem } from '@certloop/crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeAgainstPebble } from '../support/acme/describe-pebble.js';
import { type Pebble, startPebble } from '../support/acme/pebble.js';
import { type SmallDns, startSmallDns } from '../support/acme/small-dns.js';
import { startApp, startAppOn, type TestApp } from '../support/app.js';
import { addCsr, addFqdn, addSpace, pathOf } from '../support/inventory.js';
import { configure, enable, newCsr, providerOf } from '../support/signing.js';

const stranger = await createRoot({
  keyKind: 'P-256',
  subject: { commonName: 'Stranger' },
  notBefore: new Date('2020-01-01T00:00:00Z'),
  notAfter: new Date('2060-01-01T00:00:00Z'),
  serialNumber: 1n,
});
const strangerPem = formatPem(certificateLabel, stranger.certificateDer);

const environment = { ENCRYPTION_KEYS: `one:${Buffer.alloc(32, 7).toString('base64')}` };
const orders = {
  pause: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, Math.min(ms, 50))),
};

describeAgainstPebble('orders by dns-01 with signed updates', (open) => {
  const zone = 'proofs.test';
  const key = { name: 'updates', secret: new Uint8Array(randomBytes(32)) };
  let dns: SmallDns;
  let pebble: Pebble;
  let app: TestApp;
  let other: TestApp;

  beforeAll(async () => {
    dns = await startSmallDns(key, zone);
    dns.set('_acme-challenge.wild.test', 'CNAME', `wild.${zone}`);
    const resolver = `127.0.0.1:${dns.port}`;
    pebble = await startPebble({ httpPort: await freePort(), resolver });
    app = await startApp(open, { environment, now: new Date(), orders });
    other = await startAppOn(app.database, { environment, orders, beside: app });
    const provider = await providerOf(app, 'acme');
    const tsig = { name: key.name, secret: Buffer.from(key.secret).toString('base64') };
    const propagation = { resolvers: [resolver], timeoutS: 20, intervalS: 1 };
    await configure(app, provider, {
      directoryUrl: pebble.directoryUrl,
      caBundlePem: pebble.caPem,
      termsOfServiceAgreed: true,
      allowPrivateNetwork: true,
      challenge: {
        type: 'dns-01',
        dns: { kind: 'rfc2136', url: `dns://${resolver}`, zone, tsig, propagation },
      },
    }).expect(200);
    await enable(app, provider).expect(200);
  });
  afterAll(async () => {
    await other.close();
    await app.close();
    await pebble.close();
    await dns.close();
  });

  const newFqdn = async (): Promise<Fqdn> => {
    const { id } = await addSpace(app);
    const fqdn = await addFqdn(app, id, '*.wild.test');
    await addCsr(app, fqdn, await newCsr('*.wild.test', 'wild.test'));
    return fqdn;
  };
  const order = async (by: TestApp, fqdn: Fqdn): Promise<RequestReply> => {
    const path = pathOf(fqdn, 'request-certificate');
    return (await by.request.post(path).set(by.people.ada.auth).expect(200)).body as RequestReply;
  };

  test("of a wildcard and its base, by two processes at once, do not remove each other's records", async () => {
    app.clock.set(new Date());
    const [one, another] = [await newFqdn(), await newFqdn()];
    const replies = await Promise.all([order(app, one), order(other, another)]);
    for (const reply of replies) {
      expect(reply).toMatchObject({ success: true, stepStatus: { challenges: { status: 'ok' } } });
    }
    const added = dns.changes.filter(({ act }) => act === 'add');
    expect(new Set(added.map(({ name }) => name))).toEqual(new Set([`wild.${zone}`]));
    for (const { value } of added) {
      expect(dns.changes.filter((change) => change.act === 'delete' && change.value === value)).toHaveLength(
        1,
      );
    }
    expect(dns.valuesOf(`wild.${zone}`, 'TXT')).toEqual([]);
  });

  test.each([
    ['no root of its own', null],
    ['the root of another CA', strangerPem],
  ])('need the root of the CA’s own TLS certificate, and %s is reported', async (_, caBundlePem) => {
    const provider = await providerOf(app, 'acme');
    const { config } = provider;
    await configure(app, provider, { ...config, caBundlePem }).expect(200);
    const { body } = await app.request
      .post(`/providers/${provider.id}/test`)
      .set(app.people.ada.auth)
      .expect(200);
    await configure(app, provider, config).expect(200);
    expect(body).toEqual({
      success: false,
      message: expect.stringMatching(
        /^the CA's TLS certificate chains to no known root \([A-Z_]+\); caBundlePem can hold its root$/,
      ),
    });
  });

  test('are tried by the test of the provider, key and zone included', async () => {
    const { id } = await providerOf(app, 'acme');
    const { body } = await app.request.post(`/providers/${id}/test`).set(app.people.ada.auth).expect(200);
    expect(body).toEqual({
      success: true,
      message:
        'the directory is valid and hands out nonces; the account is known; the name server takes updates of proofs.test',
    });
  });
});
