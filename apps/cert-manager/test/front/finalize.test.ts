import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { type AcmeClient, dnsIdentifiers } from '@certloop/acme-server/testing';
import type { AcmeOrder } from '@certloop/contracts';
import { buildCsr } from '@certloop/crypto';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startAppOn } from '../support/app.js';
import { type FrontPlace, listenTo, startFront } from '../support/front/front-place.js';

const typeOf = (problem: string) => `urn:ietf:params:acme:error:${problem}`;
const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const serialOf = (pem: string) => new X509Certificate(pem).serialNumber;
const hour = 3_600_000;
const metricsToken = 'm'.repeat(40);

describeEachDialect('finalize of an ACME client', (open) => {
  let place: FrontPlace;
  let made = 0;
  beforeAll(async () => {
    place = await startFront(open, { METRICS_TOKEN: metricsToken });
  });
  afterAll(() => place.close());

  /** A name that no other test has. */
  const freshName = () => {
    made += 1;
    return `finalize-${made}.example.com`;
  };
  const placed = async (program: AcmeClient, ...names: string[]) =>
    (await program.order(dnsIdentifiers(...names))).body;
  const send = async (program: AcmeClient, order: AcmeOrder, csr: Parameters<typeof buildCsr>[0]) => {
    const { der } = await buildCsr(csr);
    return program.post<AcmeOrder>(order.finalize, { csr: der.toString('base64url') });
  };
  const issuedCount = () => place.ca.ids.length;

  describe('refuses a CSR, and leaves the order ready,', () => {
    test.each<[string, (name: string, program: AcmeClient) => Parameters<typeof buildCsr>[0], RegExp]>([
      [
        'without a name of the order',
        (name) => ({ privateKey: newKey(), dnsNames: [name] }),
        /lacks names of the order/,
      ],
      [
        'with another name',
        (name) => ({ privateKey: newKey(), dnsNames: [name, `also.${name}`, `third.${name}`] }),
        /names that the order does not have/,
      ],
      [
        'with the key of the account',
        (name, program) => ({ privateKey: program.key, dnsNames: [name, `also.${name}`] }),
        /the key of the CSR is that of the account/,
      ],
      [
        'with a weak key',
        (name) => ({
          privateKey: generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey,
          dnsNames: [name, `also.${name}`],
        }),
        /RSA/,
      ],
    ])('%s', async (_, csrOf, reason) => {
      const { program } = await place.addProgram();
      const name = freshName();
      const order = await placed(program, name, `also.${name}`);
      const { status, body } = await send(program, order, csrOf(name, program));
      expect([status, body]).toMatchObject([
        400,
        { type: typeOf('badCSR'), detail: expect.stringMatching(reason) },
      ]);
      expect((await program.finalize(order)).body.status).toBe('valid');
    });

    test('that is not base64url or not a CSR', async () => {
      const { program } = await place.addProgram();
      const order = await placed(program, freshName());
      const answers = ['a+b=', 'AAAA'].map((csr) => program.post(order.finalize, { csr }));
      expect((await Promise.all(answers)).map(({ body }) => body)).toMatchObject([
        { type: typeOf('malformed') },
        { type: typeOf('badCSR') },
      ]);
    });

    test('with a key that was reported as compromised', async () => {
      const { program } = await place.addProgram();
      const [key, name] = [newKey(), freshName()];
      const { pem } = await program.issue(dnsIdentifiers(name), {}, key);
      const certificate = new X509Certificate(pem).raw.toString('base64url');
      const revoked = await program.post(`${place.base}/acme/revoke-cert`, { certificate, reason: 1 });
      expect(revoked.status).toBe(200);
      const { body } = await program.finalize(await placed(program, name), key);
      expect(body).toMatchObject({ type: typeOf('badCSR'), detail: expect.stringMatching(/compromised/) });
    });
  });

  test('obtains one certificate for an order that is finalized twice at once', async () => {
    const { program } = await place.addProgram();
    const order = await placed(program, freshName());
    const before = issuedCount();
    const answers = await Promise.all([1, 2, 3].map(() => program.finalize(order)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 403, 403]);
    expect(issuedCount() - before).toBe(1);
  });

  test('obtains one certificate for an order that two processes finalize at once', async () => {
    const second = await startAppOn(place.app.database, {
      environment: { ...place.environment },
      beside: place.app,
    });
    const other = await listenTo(second);
    const { program } = await place.addProgram();
    const name = freshName();
    const order = await placed(program, name);
    const { der } = await buildCsr({ privateKey: newKey(), dnsNames: [name] });
    const before = issuedCount();
    const payload = { csr: der.toString('base64url') };
    const answers = await Promise.all([
      program.post<AcmeOrder>(order.finalize, payload),
      program.post<AcmeOrder>(order.finalize.replace(place.base, other.base), payload, {
        header: { kid: program.kid.replace(place.base, other.base) },
      }),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 403]);
    expect(issuedCount() - before).toBe(1);
    await other.close();
    await second.close();
  });

  describe('of the same key', () => {
    test('answers with the certificate that was issued just before, also for another account', async () => {
      const { program, client } = await place.addProgram();
      const [key, name] = [newKey(), freshName()];
      const { pem } = await program.issue(dnsIdentifiers(name), {}, key);
      const before = issuedCount();
      place.app.clock.advance(23 * hour);
      const again = await program.issue(dnsIdentifiers(name), {}, key);
      const restarted = await place.register(client);
      const third = await restarted.issue(dnsIdentifiers(name), {}, key);
      expect([again.pem, third.pem].map(serialOf)).toEqual([serialOf(pem), serialOf(pem)]);
      expect(issuedCount()).toBe(before);
      place.app.clock.advance(hour);
      const later = await program.issue(dnsIdentifiers(name), {}, key);
      expect(serialOf(later.pem)).not.toBe(serialOf(pem));
    });

    test('obtains a new certificate for an order that replaces one, and after a revocation', async () => {
      const { program } = await place.addProgram();
      const [key, name] = [newKey(), freshName()];
      const { pem } = await program.issue(dnsIdentifiers(name), {}, key);
      place.app.clock.advance(1000);
      const replaced = await program.issue(dnsIdentifiers(name), { replaces: place.renewalIdOf(pem) }, key);
      expect(serialOf(replaced.pem)).not.toBe(serialOf(pem));
      const certificate = new X509Certificate(replaced.pem).raw.toString('base64url');
      await program.post(`${place.base}/acme/revoke-cert`, { certificate, reason: 4 });
      place.app.clock.advance(1000);
      const next = await program.issue(dnsIdentifiers(name), {}, key);
      expect([serialOf(pem), serialOf(replaced.pem)]).not.toContain(serialOf(next.pem));
    });

    test('waits for the certificate that is being issued', async () => {
      const { program } = await place.addProgram();
      const [key, name] = [newKey(), freshName()];
      const orders = await Promise.all([1, 2, 3].map(() => placed(program, name)));
      const before = issuedCount();
      const answers = await Promise.all(orders.map((order) => program.finalize(order, key)));
      expect(answers.map(({ body }) => body.status)).toEqual(['valid', 'valid', 'valid']);
      expect(new Set(answers.map(({ body }) => body.certificate)).size).toBe(1);
      expect(issuedCount() - before).toBe(1);
    });
  });

  test('is refused when the policy of the space has closed, and the order is over', async () => {
    const { program, space } = await place.addProgram();
    const name = freshName();
    const order = await placed(program, name);
    const none = { suffixes: [], wildcards: false, cidrs: [], beyondFqdn: true };
    const allowedNames = { names: ['other.example.com'], ...none };
    const path = `/spaces/${space.id}/issuance-policy`;
    await place.app.request
      .put(path)
      .set(place.app.people.ada.auth)
      .send({ allowedNames, confirmed: true })
      .expect(200);
    const refused = await program.finalize(order);
    expect([refused.status, refused.body]).toMatchObject([400, { type: typeOf('rejectedIdentifier') }]);
    const { body } = await program.post(order.finalize.replace('/finalize', ''));
    expect(body).toMatchObject({ status: 'invalid', error: { type: typeOf('rejectedIdentifier') } });
  });

  test('is counted by client', async () => {
    const { program, client } = await place.addProgram();
    await program.issue(dnsIdentifiers(freshName()));
    await program.order(dnsIdentifiers('elsewhere.test'));
    const asked = place.app.request.get('/metrics').set('Authorization', `Bearer ${metricsToken}`);
    const { text } = await asked.expect(200);
    for (const outcome of ['placed', 'issued', 'refused'])
      expect(text).toContain(
        `cert_manager_acme_client_orders_total{client="${client.name}",outcome="${outcome}"} 1`,
      );
  });

  test('hands the refusal of the provider on', async () => {
    const { program } = await place.addProgram();
    const order = await placed(program, freshName());
    place.ca.answer('with a refusal');
    const { body } = await program.finalize(order);
    place.ca.answer('normally');
    expect(body).toMatchObject({ status: 'invalid', error: { type: typeOf('rejectedIdentifier') } });
    expect((await program.finalize(order)).body).toMatchObject({ type: typeOf('orderNotReady') });
  });
});
