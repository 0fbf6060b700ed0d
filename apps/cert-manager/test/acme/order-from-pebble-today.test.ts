import { X509Certificate } from 'node:crypto';
import { buildCsr, generateKeyPair } from '@certloop/crypto';
import { executeSql } from '@certloop/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { certificateId } from '../../src/acme/certificate-id.js';
import { updateCertificate } from '../../src/certificates/certificates.repository.js';
import type { Exchange } from '../support/acme/acme-recorder.js';
import { describeAgainstPebbleOfToday } from '../support/acme/describe-pebble.js';
import type { Pebble } from '../support/acme/pebble.js';
import { fqdnFor, order, type PebblePlace, startPebblePlace } from '../support/acme/pebble-place.js';
import { pathOf } from '../support/inventory.js';
import { explanationOf, switchRenewal } from '../support/renewals.js';
import { configure, newCsr, providerOf } from '../support/signing.js';

const hour = 3_600_000;
const certificatesIn = (pem: string) =>
  pem
    .split(/(?<=-----END CERTIFICATE-----\n)/)
    .filter((each) => each !== '')
    .map((each) => new X509Certificate(each));
const secondsOf = ({ validFrom, validTo }: X509Certificate) =>
  (Date.parse(validTo) - Date.parse(validFrom)) / 1000;

/** Calls of newOrder for the name, but for those whose nonce pebble refused. */
const ordersOf = ({ exchanges }: Pebble, hostname: string) =>
  exchanges.filter(
    ({ path, payload, answer }) =>
      path === '/order-plz' &&
      JSON.stringify(payload?.['identifiers'] ?? []).includes(`"${hostname}"`) &&
      answer?.['type'] !== 'urn:ietf:params:acme:error:badNonce',
  );

/** Requests for the renewal window of the certificate with this identifier (RFC 9773 §4.1). */
const asksForWindow = ({ exchanges }: Pebble, id: string) =>
  exchanges.filter(({ path }) => path.endsWith(`/${id}`));

const termsOf = ({ status, payload }: Exchange) => {
  const { identifiers, ...terms } = payload ?? {};
  return { status, ...terms };
};

const idOf = (pem = '') => certificateId(pem) ?? '';

/** Pebble finds no serial number that begins with an octet of zero, as one of 256 does: then the order is repeated. */
async function orderFound(app: PebblePlace['app'], fqdn: Parameters<typeof order>[1]) {
  let ordered = await order(app, fqdn);
  while (Buffer.from(idOf(ordered.certificate?.pem).split('.')[1] ?? '', 'base64url')[0] === 0) {
    ordered = await order(app, fqdn, { confirmed: true });
  }
  return ordered;
}

describeAgainstPebbleOfToday('an order with the current pebble', (open) => {
  let place: PebblePlace;
  beforeAll(async () => {
    place = await startPebblePlace(
      open,
      {
        isOfToday: true,
        isRecorded: true,
        nonceReject: 20,
        profiles: { classic: 90 * 86_400, shortlived: 518_400 },
        chain: { length: 3, alternateRoots: 2 },
      },
      () => ({ profile: 'shortlived', challenge: { type: 'http-01', http01: { selfCheck: 'off' } } }),
    );
  });
  afterAll(() => place?.close());

  test('returns a certificate of the profile, with a chain of three', async () => {
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
    const [placed] = ordersOf(pebble, 'a.today.test');
    expect(placed).toMatchObject({
      status: 201,
      payload: { profile: 'shortlived' },
      answer: { profile: 'shortlived' },
    });
    expect(placed?.payload).not.toHaveProperty('replaces');
  });

  test('is rejected before it is placed if the CA does not have the profile', async () => {
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

  test('is placed again in the window that the CA suggests', async () => {
    const { app, pebble } = place;
    const fqdn = await fqdnFor(app, await newCsr('ari.today.test'), 'ari.today.test');
    const first = await orderFound(app, fqdn);
    const before = ordersOf(pebble, 'ari.today.test');
    // one that names a certificate which pebble does not find is rejected, and repeated without it
    const placedBefore = before.filter(({ status }) => status === 201);
    await switchRenewal(app, fqdn, true);
    await app.advise();
    expect(await explanationOf(app, fqdn)).toMatchObject({ plan: { rule: 'window' } });
    const id = idOf(first.certificate?.pem);
    expect(asksForWindow(pebble, id)).toEqual([
      expect.objectContaining({ method: 'GET', status: 200, payload: undefined }),
    ]);
    const now = Date.now();
    const window = { start: new Date(now - 2 * hour), end: new Date(now - hour) };
    await pebble.setRenewalWindow(first.certificate?.pem ?? '', window);
    // the CA said when it wants to be asked again
    app.clock.advance(24 * hour);
    await app.advise();
    expect(await app.renew()).toMatchObject({ renewed: 1, failed: [] });
    const { body } = await app.request.get(pathOf(fqdn, 'certificates')).set(app.people.ada.auth).expect(200);
    expect(body).toHaveLength(placedBefore.length + 1);
    expect(asksForWindow(pebble, id)).toHaveLength(2);
    const [placedFirst, ...others] = ordersOf(pebble, 'ari.today.test').map(termsOf);
    expect(placedFirst).toEqual({ status: 201, profile: 'shortlived' });
    expect(others.slice(before.length - 1)).toEqual([{ status: 201, profile: 'shortlived', replaces: id }]);
  });

  test('names the certificate that it replaces, and omits it if the CA already has a replacement', async () => {
    const { app, pebble } = place;
    const fqdn = await fqdnFor(app, await newCsr('again.today.test'), 'again.today.test');
    const first = await orderFound(app, fqdn);
    const { length: ordered } = ordersOf(pebble, 'again.today.test');
    const second = await order(app, fqdn, { confirmed: true });
    const id = idOf(first.certificate?.pem);
    const [placedFirst, ...others] = ordersOf(pebble, 'again.today.test').map(termsOf);
    expect(placedFirst).toEqual({ status: 201, profile: 'shortlived' });
    expect(others.slice(ordered - 1)).toEqual([{ status: 201, profile: 'shortlived', replaces: id }]);
    // as in a database that was restored from before the second order
    await app.database.transaction(async (tx) => {
      await executeSql(tx, 'delete from certificates where id = $1', [second.certificate?.id ?? '']);
      await updateCertificate(tx, first.certificate?.id ?? '', { replacedAt: null });
    });
    expect(await order(app, fqdn, { confirmed: true })).toMatchObject({ success: true });
    const [refused, placed] = ordersOf(pebble, 'again.today.test').slice(ordered + 1);
    expect(refused).toMatchObject({
      status: 409,
      payload: { replaces: id },
      answer: { type: 'urn:ietf:params:acme:error:alreadyReplaced' },
    });
    expect(placed && termsOf(placed)).toEqual({ status: 201, profile: 'shortlived' });
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

describeAgainstPebbleOfToday('an order by dns-01 with the current pebble', (open) => {
  let place: PebblePlace;
  beforeAll(async () => {
    place = await startPebblePlace(open, { isOfToday: true }, () => ({ challenge: { type: 'manual' } }));
  });
  afterAll(() => place?.close());

  test('proves a wildcard among challenges of unknown types', async () => {
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
