import { generateKeyPairSync } from 'node:crypto';
import { AcmeClient, dnsIdentifiers } from '@certloop/acme-server/testing';
import { exportJwk, signJws } from '@certloop/crypto';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FrontPlace, startFront } from '../support/front/front-place.js';
import { auditEntries } from '../support/inventory.js';

const day = 86_400_000;
const names = dnsIdentifiers('www.example.com');
const typeOf = (problem: string) => `urn:ietf:params:acme:error:${problem}`;

describeEachDialect('accounts of ACME clients', (open) => {
  let place: FrontPlace;
  beforeAll(async () => {
    place = await startFront(open);
  });
  afterAll(() => place.close());

  const bindings = () => auditEntries(place.app, 'acme_client.bind');
  const removeClient = ({ spaceId, id }: { readonly spaceId: string; readonly id: string }) =>
    place.app.request
      .delete(`/spaces/${spaceId}/acme-clients/${id}`)
      .set(place.app.people.ada.auth)
      .expect(200);

  test('need a binding, whose MAC is by HS256, HS384 or HS512', async () => {
    const client = await place.addClient();
    const without = await new AcmeClient(place.base).register();
    expect([without.status, without.body]).toMatchObject([403, { type: typeOf('externalAccountRequired') }]);
    for (const alg of ['HS256', 'HS384', 'HS512']) {
      const program = new AcmeClient(place.base);
      const { status } = await program.register({ externalAccountBinding: program.binding(client, { alg }) });
      expect(status).toBe(201);
    }
    expect((await bindings()).at(-1)).toMatchObject({
      username: `acme:${client.name}`,
      resourceId: client.id,
      spaceId: client.spaceId,
      outcome: 'success',
    });
  });

  test('are refused with one sentence for an unknown key and a wrong MAC', async () => {
    const client = await place.addClient();
    const { hmacKey: other } = await place.addClient();
    const answers = [
      { kid: 'unknown', hmacKey: client.hmacKey },
      { kid: client.kid, hmacKey: other },
    ].map(async (key) => {
      const program = new AcmeClient(place.base);
      const { status, body } = await program.register({ externalAccountBinding: program.binding(key) });
      return { status, body };
    });
    const [unknown, wrong] = await Promise.all(answers);
    expect(unknown).toMatchObject({ status: 403, body: { type: typeOf('unauthorized') } });
    expect(wrong).toEqual(unknown);
  });

  test('are found by their key without a binding, and stay with their first client', async () => {
    const { program, client } = await place.addProgram();
    const { kid } = program;
    const again = await program.register({ onlyReturnExisting: true });
    expect([again.status, program.kid]).toEqual([200, kid]);
    const other = await place.addClient();
    const bound = await program.register({ externalAccountBinding: program.binding(other) });
    expect([bound.status, program.kid]).toEqual([200, kid]);
    const stranger = await new AcmeClient(place.base).register({ onlyReturnExisting: true });
    expect(stranger.body).toMatchObject({ type: typeOf('accountDoesNotExist') });
    await removeClient(other);
    expect((await program.order(names)).status).toBe(201);
    expect(client.id).not.toBe(other.id);
  });

  test('are seen at once when another program uses them, as after a registration by hand', async () => {
    const { program, client } = await place.addProgram();
    const url = program.kid;
    const jws = await signJws(program.key, { nonce: await program.nonce(), url, kid: url }, '');
    const headers = { 'Content-Type': 'application/jose+json', 'User-Agent': 'HAProxy' };
    const { status } = await fetch(url, { method: 'POST', headers, body: JSON.stringify(jws) });
    expect(status).toBe(200);
    const { body } = await place.app.request
      .get(`/spaces/${client.spaceId}/acme-clients/${client.id}`)
      .set(place.app.people.ada.auth)
      .expect(200);
    expect(body.use.accounts).toMatchObject([{ userAgent: 'HAProxy' }]);
  });

  test('are not registered from elsewhere or after the end of the client, which is audited', async () => {
    const elsewhere = await place.addClient({ allowedCidrs: ['10.0.0.0/8'] });
    const expiresAt = new Date(place.app.clock.now().getTime() + day).toISOString();
    const expiring = await place.addClient({ expiresAt });
    const early = await place.register(expiring);
    place.app.clock.advance(2 * day);
    for (const client of [elsewhere, expiring]) {
      const program = new AcmeClient(place.base);
      const { status, body } = await program.register({ externalAccountBinding: program.binding(client) });
      expect([status, body]).toMatchObject([403, { type: typeOf('unauthorized') }]);
      expect((await bindings()).at(-1)).toMatchObject({ resourceId: client.id, outcome: 'failure' });
    }
    const late = await early.order(names);
    expect([late.status, late.body]).toMatchObject([
      401,
      { type: typeOf('unauthorized'), detail: /expired/ },
    ]);
    const denied = await auditEntries(place.app, 'access.denied');
    expect(denied.at(-1)).toMatchObject({ resourceId: expiring.id, outcome: 'denied' });
  });

  test('end with their client, and free their keys', async () => {
    const { program, client } = await place.addProgram();
    const { body: order } = await program.order(names);
    await removeClient(client);
    const refused = await program.post(order.finalize.replace('/finalize', ''));
    expect([refused.status, refused.body]).toMatchObject([401, { type: typeOf('unauthorized') }]);
    const denied = await auditEntries(place.app, 'access.denied');
    expect(denied.at(-1)).toMatchObject({ resourceId: client.id, outcome: 'denied' });
    const next = await place.addClient();
    const { status } = await program.register({ externalAccountBinding: program.binding(next) });
    expect(status).toBe(201);
  });

  test('that are deactivated do not free their keys, and their orders are over', async () => {
    const { program, client } = await place.addProgram();
    const { body: order } = await program.order(names);
    const ended = await program.post(program.kid, { status: 'deactivated' });
    expect(ended.body).toMatchObject({ status: 'deactivated' });
    expect((await program.order(names)).status).toBe(401);
    const again = await program.register({ externalAccountBinding: program.binding(client) });
    expect(again.status).toBe(401);
    expect(order.status).toBe('ready');
  });

  test('change their contacts and their key', async () => {
    const { program } = await place.addProgram();
    const contact = ['mailto:new@example.com'];
    expect((await program.post(program.kid, { contact })).body).toMatchObject({ contact });
    const change = async (next: ReturnType<typeof newKey>) => {
      const url = `${place.base}/acme/key-change`;
      const payload = { account: program.kid, oldKey: exportJwk(program.key) };
      const inner = await signJws(next, { jwk: exportJwk(next), url }, JSON.stringify(payload));
      return program.post(url, inner);
    };
    const other = await place.addProgram();
    const taken = await change(other.program.key);
    expect([taken.status, taken.headers.get('location')]).toEqual([409, other.program.kid]);
    const next = newKey();
    expect((await change(next)).status).toBe(200);
    expect((await program.order(names)).status).not.toBe(201);
    program.useKey(next);
    expect((await program.order(names)).status).toBe(201);
  });

  describe('use each nonce once', () => {
    test('also for requests that change nothing, and in the words of the protocol', async () => {
      const { program } = await place.addProgram();
      const nonce = await program.nonce();
      const first = await program.post(program.kid, '', { header: { nonce } });
      const second = await program.post(program.kid, '', { header: { nonce } });
      expect([first.status, second.status]).toEqual([200, 400]);
      expect(second.body).toMatchObject({ type: typeOf('badNonce') });
      expect(second.headers.get('replay-nonce')).toMatch(/^[\w-]{43}$/);
    });

    test('also of two requests at once', async () => {
      const { program } = await place.addProgram();
      const nonce = await program.nonce();
      const both = await Promise.all(
        [1, 2].map(() =>
          program.post(`${place.base}/acme/new-order`, { identifiers: names }, { header: { nonce } }),
        ),
      );
      expect(both.map(({ status }) => status).toSorted()).toEqual([201, 400]);
    });

    test('for an hour', async () => {
      const { program } = await place.addProgram();
      const nonce = await program.nonce();
      place.app.clock.advance(3_600_000);
      const late = await program.post(program.kid, '', { header: { nonce } });
      expect(late.body).toMatchObject({ type: typeOf('badNonce') });
    });
  });

  test('are limited to those that were seen in the last 90 days', async () => {
    const client = await place.addClient({ maxAccounts: 2 });
    await place.register(client);
    place.app.clock.advance(day);
    await place.register(client);
    const third = new AcmeClient(place.base);
    const refused = await third.register({ externalAccountBinding: third.binding(client) });
    expect([refused.status, refused.body]).toMatchObject([429, { type: typeOf('rateLimited') }]);
    expect(refused.headers.get('retry-after')).toBe(String((89 * day) / 1000));
    place.app.clock.advance(89 * day);
    const { status } = await third.register({ externalAccountBinding: third.binding(client) });
    expect(status).toBe(201);
  });
});

const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
