import { X509Certificate } from 'node:crypto';
import { createServer } from 'node:http';
import { csrLabels, exportSpki, parseCsr, parsePem } from '@certloop/crypto';
import { executeSql } from '@certloop/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { acmeAccounts, challengeTokens } from '../../src/acme/acme-accounts.repository.js';
import { changeAccountKey } from '../support/acme/account-key.js';
import { describeAgainstPebble } from '../support/acme/describe-pebble.js';
import type { Pebble } from '../support/acme/pebble.js';
import { fqdnFor, order, type PebblePlace, startPebblePlace } from '../support/acme/pebble-place.js';
import { auditEntries, pathOf } from '../support/inventory.js';
import { configure, newCsr, providerOf } from '../support/signing.js';
import { listening, textOf } from '../support/small-server.js';

describeAgainstPebble('an order with pebble that refuses every fifth nonce', (open) => {
  let place: PebblePlace;
  beforeAll(async () => {
    place = await startPebblePlace(open, { nonceReject: 20 }, () => ({
      challenge: { type: 'http-01', http01: { selfCheck: 'warn', allowPrivateNetwork: true } },
    }));
  });
  afterAll(() => place?.close());

  test('returns a certificate for the key and every name of the CSR', async () => {
    const { app, pebble } = place;
    const csr = await newCsr('a.shop.test', 'b.shop.test', 'c.shop.test');
    const fqdn = await fqdnFor(app, csr, 'b.shop.test');
    const reply = await order(app, fqdn);
    expect(reply).toMatchObject({ success: true, message: expect.stringMatching(/^issued by acme/) });
    const leaf = new X509Certificate(reply.certificate?.pem ?? '');
    expect(leaf.subjectAltName?.split(', ').sort()).toEqual([
      'DNS:a.shop.test',
      'DNS:b.shop.test',
      'DNS:c.shop.test',
    ]);
    expect(exportSpki(leaf.publicKey).equals(parseCsr(parsePem(csr, csrLabels)).spkiDer)).toBe(true);
    const pems = (reply.certificate?.pem ?? '').split(/(?<=-----END CERTIFICATE-----\n)/);
    const top = new X509Certificate(pems.at(-1) ?? '');
    expect(top.verify(new X509Certificate(await pebble.rootPem()).publicKey)).toBe(true);
  });

  test('reports every step, and removes the proofs', async () => {
    const { app } = place;
    const fqdn = await fqdnFor(app, await newCsr('steps.shop.test'), 'steps.shop.test');
    const { stepStatus } = await order(app, fqdn);
    const statuses = Object.entries(stepStatus).map(([step, { status }]) => [step, status]);
    expect(Object.fromEntries(statuses)).toEqual({
      csrCheck: 'ok',
      policy: 'ok',
      existing: 'ok',
      preflight: 'ok',
      account: 'ok',
      order: 'ok',
      // port 80 is someone else's here
      challenges: expect.stringMatching(/^(ok|warning)$/),
      finalize: 'ok',
      download: 'ok',
      verify: 'ok',
      store: 'ok',
      schedule: 'skipped',
    });
    expect(stepStatus.order).toMatchObject({ url: expect.stringMatching(/^https:/) });
    expect(stepStatus.challenges).toMatchObject({
      items: { 'steps.shop.test': { type: 'http-01' } },
    });
    expect(await app.database.read((tx) => tx.count(challengeTokens))).toBe(0);
    expect((await auditEntries(app, 'certificate.issue')).at(-1)).toMatchObject({
      details: { fqdn: 'steps.shop.test', outcome: 'success' },
    });
  });

  test('returns a certificate that pebble revokes, and a replacement', async () => {
    const { app } = place;
    const fqdn = await fqdnFor(app, await newCsr('revoked.shop.test'), 'revoked.shop.test');
    const { certificate } = await order(app, fqdn);
    const revoke = () =>
      app.request
        .post(pathOf(fqdn, `certificates/${certificate?.id}/revoke`))
        .set(app.people.ada.auth)
        .send({ reason: 'superseded' });
    const { body } = await revoke().expect(200);
    expect(body).toMatchObject({ id: certificate?.id, revocationReason: 'superseded' });
    // as if the CA had revoked it by other hands
    await app.database.transaction((tx) =>
      executeSql(tx, 'update certificates set revoked_at = null, revocation_reason = null where id = $1', [
        certificate?.id ?? '',
      ]),
    );
    expect((await revoke().expect(409)).body.code).toBe('already_revoked');
    expect((await auditEntries(app, 'certificate.revoke')).at(-1)).toMatchObject({
      outcome: 'success',
      details: { alreadyRevoked: true },
    });
    // no confirmation is needed, as the newest one is revoked
    expect(await order(app, fqdn)).toMatchObject({ success: true });
  });

  test('uses one account, whose key is encrypted', async () => {
    const rows = await place.app.database.read((tx) => tx.find(acmeAccounts));
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      sealedKey: expect.stringMatching(/^v1\.one\./),
      contactEmails: ['ada@example.org'],
    });
    const test = await place.app.request
      .post(`/providers/${place.providerId}/test`)
      .set(place.app.people.ada.auth)
      .expect(200);
    expect(test.body).toEqual({
      success: true,
      message: 'the directory is valid and hands out nonces; the account is known',
    });
  });

  test('continues with the same account after a change of its key', async () => {
    const { app } = place;
    const [before] = await app.database.read((tx) => tx.find(acmeAccounts));
    await changeAccountKey(app, place.providerId);
    const [after] = await app.database.read((tx) => tx.find(acmeAccounts));
    expect(after).toMatchObject({ url: before?.url, sealedNextKey: null });
    expect(after?.sealedKey).not.toBe(before?.sealedKey);
    const fqdn = await fqdnFor(app, await newCsr('rolled.shop.test'), 'rolled.shop.test');
    expect(await order(app, fqdn)).toMatchObject({ success: true });
  });

  test('is placed again only after a confirmation', async () => {
    const { app } = place;
    const fqdn = await fqdnFor(app, await newCsr('again.shop.test'), 'again.shop.test');
    const first = await order(app, fqdn);
    const unconfirmed = await order(app, fqdn);
    expect(unconfirmed).toMatchObject({
      success: false,
      requiresConfirmation: true,
      certificate: first.certificate,
    });
    const second = await order(app, fqdn, { confirmed: true });
    expect(second).toMatchObject({ success: true });
    expect(second.certificate?.id).not.toBe(first.certificate?.id);
    expect((await auditEntries(app, 'certificate.replace')).at(-1)).toMatchObject({
      details: { previous: first.certificate?.id },
    });
  });

  test('is placed by csr/sign, too', async () => {
    const { app, providerId } = place;
    const fqdn = await fqdnFor(app, await newCsr('sign.shop.test'), 'sign.shop.test');
    const sign = () =>
      app.request.post(pathOf(fqdn, 'csr/sign')).set(app.people.ada.auth).send({ providerId }).expect(200);
    expect((await sign()).body).toEqual({
      success: true,
      message: expect.stringMatching(/^issued by acme/),
      certificate: expect.stringMatching(/^-----BEGIN CERTIFICATE-----/),
    });
    expect((await sign()).body).toMatchObject({ success: true });
    expect(
      (await auditEntries(app, 'csr.sign')).filter(({ details }) => details['fqdn'] === 'sign.shop.test'),
    ).toHaveLength(2);
  });

  test('returns a certificate that can be requested again', async () => {
    const { app } = place;
    const fqdn = await fqdnFor(app, await newCsr('refresh.shop.test'), 'refresh.shop.test');
    const { certificate } = await order(app, fqdn);
    const { body } = await app.request
      .post(pathOf(fqdn, `certificates/${certificate?.id}/refresh`))
      .set(app.people.ada.auth)
      .expect(200);
    expect(body).toMatchObject({ id: certificate?.id, pem: certificate?.pem });
  });

  test('is placed by the renewal queue, too', async () => {
    const { app } = place;
    const fqdn = await fqdnFor(app, await newCsr('renew.shop.test'), 'renew.shop.test');
    const { certificate } = await order(app, fqdn);
    const entry = { certificateId: certificate?.id, fqdnId: fqdn.id, spaceId: fqdn.spaceId };
    await app.request
      .post('/renewal-queue/test/create')
      .set(app.people.ada.auth)
      .send({ ...entry, minutesFromNow: 0 })
      .expect(201);
    expect(await app.renew()).toMatchObject({ renewed: 1, failed: [] });
    const { body } = await app.request.get(pathOf(fqdn, 'certificates')).set(app.people.ada.auth).expect(200);
    expect(body).toHaveLength(2);
  });

  test('for a name that the CA rejects, fails with the reason of the CA, and is not retried', async () => {
    const { app } = place;
    const fqdn = await fqdnFor(app, await newCsr('blocked-domain.example'), 'blocked-domain.example');
    const reply = await order(app, fqdn);
    expect(reply).toMatchObject({
      success: false,
      message: expect.stringMatching(/^the CA refused: /),
      stepStatus: {
        order: {
          status: 'failed',
          error: { retryable: false, caProblemType: expect.stringMatching(/rejectedIdentifier$/) },
        },
        challenges: { status: 'pending' },
      },
    });
  });

  test('for a wildcard is rejected before anything is ordered', async () => {
    const { app } = place;
    const fqdn = await fqdnFor(app, await newCsr('*.shop.test'), '*.shop.test');
    expect(await order(app, fqdn)).toMatchObject({
      success: false,
      message: expect.stringMatching(/only be proven by dns-01/),
      stepStatus: { preflight: { status: 'failed' }, order: { status: 'pending' } },
    });
  });
});

describeAgainstPebble('an order by dns-01', (open) => {
  let place: PebblePlace;
  let hook: Awaited<ReturnType<typeof startHook>>;
  beforeAll(async () => {
    hook = await startHook();
    place = await startPebblePlace(open, {}, ({ dnsServer }) => ({
      challenge: {
        type: 'dns-01',
        dns: {
          kind: 'webhook',
          url: hook.url,
          authHeader: 'Basic abc',
          propagation: { resolvers: [dnsServer], timeoutS: 20, intervalS: 1 },
        },
      },
    }));
    hook.publishAt(place.pebble);
  });
  afterAll(async () => {
    await place.close();
    await hook.close();
  });

  test('proves a wildcard and its base name by records of one name', async () => {
    const { app } = place;
    const fqdn = await fqdnFor(app, await newCsr('*.wild.test', 'wild.test'), '*.wild.test');
    const reply = await order(app, fqdn);
    expect(reply).toMatchObject({ success: true, stepStatus: { challenges: { status: 'ok' } } });
    const leaf = new X509Certificate(reply.certificate?.pem ?? '');
    expect(leaf.subjectAltName?.split(', ').sort()).toEqual(['DNS:*.wild.test', 'DNS:wild.test']);
    const presented = hook.calls.filter(({ path }) => path === '/present');
    const cleaned = hook.calls.filter(({ path }) => path === '/cleanup');
    expect(presented.map(({ body }) => body.fqdn)).toEqual([
      '_acme-challenge.wild.test.',
      '_acme-challenge.wild.test.',
    ]);
    expect(new Set(cleaned.map(({ body }) => body.value))).toEqual(
      new Set(presented.map(({ body }) => body.value)),
    );
    expect(new Set(hook.calls.map(({ authorization }) => authorization))).toEqual(new Set(['Basic abc']));
  });

  test('waits for a person if the record is published manually', async () => {
    const { app, pebble } = place;
    const provider = await providerOf(app, 'acme');
    await configure(app, provider, { ...provider.config, challenge: { type: 'manual' } }).expect(200);
    const fqdn = await fqdnFor(app, await newCsr('manual.test'), 'manual.test');
    const waiting = await app.request
      .post(pathOf(fqdn, 'request-certificate'))
      .set(app.people.ada.auth)
      .expect(200);
    expect(waiting.body).toMatchObject({
      success: false,
      stepStatus: { challenges: { status: 'waiting_manual' } },
    });
    const job = waiting.headers['location'] ?? '';
    const { publish } = waiting.body.stepStatus.challenges.items['manual.test'];
    expect(publish.place).toBe('_acme-challenge.manual.test TXT');
    await pebble.setTxt('_acme-challenge.manual.test.', publish.content);
    await app.request.post(`${job}/continue`).set(app.people.ada.auth).expect(200);
    const done = await order(app, fqdn);
    expect(done).toMatchObject({ success: true });
    const shown = await app.request.get(job).set(app.people.ada.auth).expect(200);
    expect(shown.body).toMatchObject({ status: 'completed', certificate: done.certificate });
    await app.request.post(`${job}/continue`).set(app.people.ada.auth).expect(409);
  });
});

describeAgainstPebble('an order that needs an external account', (open) => {
  const hmacKey = Buffer.alloc(32, 9).toString('base64url');
  let place: PebblePlace;
  beforeAll(async () => {
    place = await startPebblePlace(open, { eab: { 'kid-1': hmacKey } }, () => ({
      eab: { kid: 'kid-1', hmacKey },
    }));
  });
  afterAll(() => place?.close());

  test('without one, is rejected before it is placed', async () => {
    const { app } = place;
    const provider = await providerOf(app, 'acme');
    await configure(app, provider, { ...provider.config, eab: null }).expect(200);
    const fqdn = await fqdnFor(app, await newCsr('eab.test'), 'eab.test');
    expect(await order(app, fqdn)).toMatchObject({
      success: false,
      message:
        'the CA requires an external account: eab is missing; set eab.kid and eab.hmacKey, as the CA gave them, in the configuration of the provider',
      stepStatus: { preflight: { status: 'failed', error: { code: 'eab_missing', retryable: false } } },
    });
    await configure(app, provider, { ...provider.config, eab: { kid: 'kid-1', hmacKey } }).expect(200);
    expect(await order(app, fqdn)).toMatchObject({ success: true });
  });
});

interface HookCall {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: { readonly fqdn: string; readonly value: string };
}

/** A server of lego's httpreq contract that publishes at pebble's name server. */
async function startHook() {
  const calls: HookCall[] = [];
  let pebble: Pebble | undefined;
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await textOf(request)) as HookCall['body'];
    calls.push({ path: request.url ?? '', authorization: request.headers.authorization, body });
    if (request.url === '/present') await pebble?.setTxt(body.fqdn, body.value);
    else await pebble?.clearTxt(body.fqdn);
    response.end();
  });
  const { url, close } = await listening(server);
  return {
    url,
    calls,
    close,
    publishAt: (target: Pebble) => {
      pebble = target;
    },
  };
}
