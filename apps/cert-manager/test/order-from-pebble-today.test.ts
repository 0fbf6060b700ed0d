import { X509Certificate } from 'node:crypto';
import { buildCsr, generateKeyPair } from '@certloop/crypto';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { pathOf } from './support/inventory.js';
import { describeAgainstPebbleOfToday } from './support/pebble.js';
import { fqdnFor, order, type PebblePlace, startPebblePlace } from './support/pebble-place.js';
import { explanationOf, switchRenewal } from './support/renewals.js';
import { configure, newCsr, providerOf } from './support/signing.js';

// each order takes a second or two of real time
jest.setTimeout(90_000);

const hour = 3_600_000;
const certificatesIn = (pem: string) =>
  pem
    .split(/(?<=-----END CERTIFICATE-----\n)/)
    .filter((each) => each !== '')
    .map((each) => new X509Certificate(each));
const secondsOf = ({ validFrom, validTo }: X509Certificate) =>
  (Date.parse(validTo) - Date.parse(validFrom)) / 1000;

describeAgainstPebbleOfToday('an order with the pebble of today', (open) => {
  let place: PebblePlace;
  beforeAll(async () => {
    place = await startPebblePlace(
      open,
      {
        isOfToday: true,
        nonceReject: 20,
        profiles: { classic: 90 * 86_400, shortlived: 518_400 },
        chain: { length: 3, alternateRoots: 2 },
      },
      () => ({ profile: 'shortlived', challenge: { type: 'http-01', http01: { selfCheck: 'off' } } }),
    );
  });
  afterAll(() => place?.close());

  test('gives a certificate of the profile, with a chain of three', async () => {
    const { app, pebble } = place;
    const csr = await newCsr('a.today.test', 'b.today.test');
    const reply = await order(app, await fqdnFor(app, csr, 'a.today.test'));
    expect(reply).toMatchObject({ success: true });
    const [leaf, ...above] = certificatesIn(reply.certificate?.pem ?? '');
    if (leaf === undefined) throw new Error('no leaf');
    expect(leaf.subjectAltName?.split(', ').sort()).toEqual(['DNS:a.today.test', 'DNS:b.today.test']);
    expect(secondsOf(leaf)).toBeCloseTo(518_400, -1);
    expect(above).toHaveLength(3);
    expect(above.at(-1)?.verify(new X509Certificate(await pebble.rootPem()).publicKey)).toBe(true);
  });

  test('is refused before it is placed for a profile that the CA does not have', async () => {
    const { app } = place;
    const provider = await providerOf(app, 'acme');
    await configure(app, provider, { ...provider.config, profile: 'nosuch' }).expect(200);
    const fqdn = await fqdnFor(app, await newCsr('nosuch.today.test'), 'nosuch.today.test');
    expect(await order(app, fqdn)).toMatchObject({
      success: false,
      message: expect.stringMatching(
        /no profile nosuch; it offers (classic, shortlived|shortlived, classic)/,
      ),
    });
    await configure(app, provider, provider.config ?? {}).expect(200);
  });

  test('is placed again in the window that the CA names', async () => {
    const { app, pebble } = place;
    const fqdn = await fqdnFor(app, await newCsr('ari.today.test'), 'ari.today.test');
    const first = await order(app, fqdn);
    await switchRenewal(app, fqdn, true);
    await app.advise();
    expect(await explanationOf(app, fqdn)).toMatchObject({ plan: { rule: 'window' } });
    const now = Date.now();
    const window = { start: new Date(now - 2 * hour), end: new Date(now - hour) };
    await pebble.setRenewalWindow(first.certificate?.pem ?? '', window);
    // the CA said when it wants to be asked again
    app.clock.advance(24 * hour);
    await app.advise();
    expect(await app.renew()).toMatchObject({ renewed: 1, failed: [] });
    const { body } = await app.request.get(pathOf(fqdn, 'certificates')).set(app.people.ada.auth).expect(200);
    expect(body).toHaveLength(2);
  });

  test('for an address is proven by http-01', async () => {
    const { app } = place;
    const { privateKey } = await generateKeyPair('P-256');
    const names = { dnsNames: ['ip.today.test'], ipAddresses: ['127.0.0.1'] };
    const { pem } = await buildCsr({ privateKey, ...names, subject: {} });
    const fqdn = await fqdnFor(app, pem, 'ip.today.test');
    const { certificate } = await order(app, fqdn);
    expect(certificatesIn(certificate?.pem ?? '')[0]?.subjectAltName).toBe(
      'DNS:ip.today.test, IP Address:127.0.0.1',
    );
  });
});

describeAgainstPebbleOfToday('an order by dns-01 with the pebble of today', (open) => {
  let place: PebblePlace;
  beforeAll(async () => {
    place = await startPebblePlace(open, { isOfToday: true }, () => ({ challenge: { type: 'manual' } }));
  });
  afterAll(() => place?.close());

  test('proves a wildcard among challenges of kinds that we do not know', async () => {
    const { app, pebble } = place;
    const fqdn = await fqdnFor(app, await newCsr('*.today.test'), '*.today.test');
    const waiting = await app.request
      .post(pathOf(fqdn, 'request-certificate'))
      .set(app.people.ada.auth)
      .expect(200);
    expect(waiting.body).toMatchObject({ stepStatus: { challenges: { status: 'waiting_manual' } } });
    const { publish } = waiting.body.stepStatus.challenges.items['*.today.test'];
    expect(publish.place).toBe('_acme-challenge.today.test TXT');
    await pebble.setTxt('_acme-challenge.today.test.', publish.content);
    const job = waiting.headers['location'] ?? '';
    await app.request.post(`${job}/continue`).set(app.people.ada.auth).expect(200);
    expect(await order(app, fqdn)).toMatchObject({ success: true });
  });
});
