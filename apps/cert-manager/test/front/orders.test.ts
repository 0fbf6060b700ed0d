import { dnsIdentifiers } from '@certloop/acme-server/testing';
import type { Fqdn } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FrontPlace, type Program, startFront } from '../support/front/front-place.js';
import { addCsr, addFqdn, addSpace, auditEntries } from '../support/inventory.js';
import { newCsr } from '../support/signing.js';

const typeOf = (problem: string) => `urn:ietf:params:acme:error:${problem}`;
const sentenceOf = (name: string) =>
  `this client may not have ${name}; administrators of its space can change that`;

describeEachDialect('orders of ACME clients', (open) => {
  let place: FrontPlace;
  beforeAll(async () => {
    place = await startFront(open);
  });
  afterAll(() => place.close());

  const fqdnsOf = async (spaceId: string): Promise<Fqdn[]> =>
    (await place.app.request.get(`/spaces/${spaceId}/fqdns`).set(place.app.people.ada.auth).expect(200)).body;
  const policy = (spaceId: string, allowedNames: object) =>
    place.app.request
      .put(`/spaces/${spaceId}/issuance-policy`)
      .set(place.app.people.ada.auth)
      .send({
        allowedNames: {
          names: [],
          suffixes: [],
          wildcards: false,
          cidrs: [],
          beyondFqdn: true,
          ...allowedNames,
        },
        confirmed: true,
      })
      .expect(200);

  describe('are refused by newOrder', () => {
    test('for each name that the client may not have, with the same sentence', async () => {
      const held = await place.addProgram({ names: { names: ['held.example.org'] } });
      await held.program.issue(dnsIdentifiers('held.example.org'));
      const { program, space } = await place.addProgram({
        names: { suffixes: ['example.com', 'example.org'] },
      });
      const asked = dnsIdentifiers('www.example.com', 'held.example.org', 'elsewhere.test');
      const { status, body } = await program.order(asked);
      expect(status).toBe(400);
      expect(body).toMatchObject({
        type: typeOf('rejectedIdentifier'),
        subproblems: ['held.example.org', 'elsewhere.test'].map((value) => ({
          type: typeOf('rejectedIdentifier'),
          detail: sentenceOf(value),
          identifier: { type: 'dns', value },
        })),
      });
      expect(await fqdnsOf(space.id)).toEqual([]);
    });

    test('beyond the policy of the space, which may allow one name only', async () => {
      const { program, space } = await place.addProgram();
      await policy(space.id, { suffixes: ['example.com'], beyondFqdn: false });
      const { body } = await program.order(dnsIdentifiers('a.example.com', 'b.example.com'));
      expect(body).toMatchObject({ subproblems: [{ detail: sentenceOf('b.example.com') }] });
      expect((await program.order(dnsIdentifiers('a.example.com'))).status).toBe(201);
    });

    test.each<[string, object, string]>([
      ['a profile', { profile: 'classic' }, 'invalidProfile'],
      ['a beginning', { notBefore: '2026-03-01T00:00:00Z' }, 'malformed'],
      ['an end', { notAfter: '2026-04-01T00:00:00Z' }, 'malformed'],
    ])('with %s', async (_, members, problem) => {
      const { program } = await place.addProgram();
      const { body } = await program.order(dnsIdentifiers('www.example.com'), members);
      expect(body).toMatchObject({ type: typeOf(problem) });
    });

    test('without a host name', async () => {
      const { program } = await place.addProgram({ names: { cidrs: ['192.0.2.0/24'] } });
      const { body } = await program.order([{ type: 'ip', value: '192.0.2.1' }]);
      expect(body).toMatchObject({ type: typeOf('rejectedIdentifier') });
    });

    test('for more than 100 identifiers', async () => {
      const { program } = await place.addProgram();
      const many = Array.from({ length: 101 }, (_, index) => `n${index}.example.com`);
      expect((await program.order(dnsIdentifiers(...many))).body).toMatchObject({
        type: typeOf('malformed'),
      });
    });
  });

  describe('choose their FQDN', () => {
    test('and create it by the first name, once, in the name of the client', async () => {
      const { program, client, space } = await place.addProgram();
      const asked = dnsIdentifiers('new.example.com', 'www.example.com');
      const both = await Promise.all([program.order(asked), program.order(asked)]);
      expect(both.map(({ status }) => status)).toEqual([201, 201]);
      const [fqdn, ...others] = await fqdnsOf(space.id);
      expect([fqdn?.fqdn, others]).toEqual(['new.example.com', []]);
      const created = (await auditEntries(place.app, 'fqdn.create')).filter(
        ({ resourceId }) => resourceId === fqdn?.id,
      );
      expect(created).toMatchObject([{ username: `acme:${client.name}` }]);
    });

    test('among those of the space, in the order as sent', async () => {
      const { program, space } = await place.addProgram({ createFqdns: false });
      const fqdn = await addFqdn(place.app, space.id, 'b.example.com');
      const refused = await program.order(dnsIdentifiers('a.example.com'));
      expect(refused.body).toMatchObject({ subproblems: [{ detail: sentenceOf('a.example.com') }] });
      const { order } = await program.issue(dnsIdentifiers('a.example.com', 'b.example.com'));
      expect(order.status).toBe('valid');
      const path = `/spaces/${space.id}/fqdns/${fqdn.id}/certificates`;
      const { body } = await place.app.request.get(path).set(place.app.people.ada.auth).expect(200);
      expect(body).toHaveLength(1);
      expect((await fqdnsOf(space.id)).length).toBe(1);
    });

    test('and stay with it when other names become FQDNs', async () => {
      const { program, space } = await place.addProgram();
      const asked = dnsIdentifiers('x.example.com', 'y.example.com');
      await program.issue(asked);
      await addFqdn(place.app, space.id, 'y.example.com');
      const [x] = await fqdnsOf(space.id);
      place.app.clock.advance(2 * 86_400_000);
      const { order } = await program.issue(dnsIdentifiers('y.example.com', 'x.example.com'));
      expect(order.status).toBe('valid');
      const path = `/spaces/${space.id}/fqdns/${x?.id}/certificates`;
      const { body } = await place.app.request.get(path).set(place.app.people.ada.auth).expect(200);
      expect(body).toHaveLength(2);
    });

    test('but not one that people work on, unless the client may take it over', async () => {
      const space = await addSpace(place.app);
      const fqdn = await addFqdn(place.app, space.id, 'www.example.com');
      await addCsr(place.app, fqdn, await newCsr('www.example.com'));
      const usual = await place.register(await place.addClient({}, space.id));
      const { body } = await usual.order(dnsIdentifiers('www.example.com'));
      expect(body).toMatchObject({ subproblems: [{ detail: sentenceOf('www.example.com') }] });
      const taking = await place.register(await place.addClient({ mayTakeOver: true }, space.id));
      expect((await taking.issue(dnsIdentifiers('www.example.com'))).order.status).toBe('valid');
    });
  });

  test('are limited in a day, not those that replace a certificate', async () => {
    const { program } = await place.addProgram({ maxOrdersPerDay: 2 });
    const asked = dnsIdentifiers('daily.example.com');
    const { download } = await program.issue(asked);
    place.app.clock.advance(3_600_000);
    expect((await program.order(asked)).status).toBe(201);
    const third = await program.order(asked);
    expect([third.status, third.body]).toMatchObject([429, { type: typeOf('rateLimited') }]);
    expect(third.headers.get('retry-after')).toBe(String(23 * 3600));
    const replaces = place.renewalIdOf(download.text);
    expect((await program.order(asked, { replaces })).status).toBe(201);
    const twice = await program.order(asked, { replaces });
    expect([twice.status, twice.body]).toMatchObject([409, { type: typeOf('alreadyReplaced') }]);
    place.app.clock.advance(23 * 3_600_000);
    expect((await program.order(asked)).status).toBe(201);
  });

  test('are listed by pages, those that are over omitted', async () => {
    const { program } = await place.addProgram();
    const list = async (url: string) => program.post<{ orders: string[] }>(url);
    const { body: first } = await program.order(dnsIdentifiers('first.example.com'));
    const { order } = await program.issue(dnsIdentifiers('second.example.com'));
    const { body } = await list(`${program.kid}/orders`);
    const addressOf = ({ finalize }: { readonly finalize: string }) => finalize.replace('/finalize', '');
    expect(body.orders).toEqual([first, order].map(addressOf));
    place.app.clock.advance(24 * 3_600_000);
    expect((await list(`${program.kid}/orders`)).body.orders).toEqual([addressOf(order)]);
    expect((await program.finalize(first)).body).toMatchObject({ type: typeOf('orderNotReady') });
  });

  test('of another account do not exist, nor do its certificates', async () => {
    const one: Program = await place.addProgram();
    const { order } = await one.program.issue(dnsIdentifiers('own.example.com'));
    const other = await place.addProgram();
    const address = order.finalize.replace('/finalize', '');
    const unknown = await other.program.post(
      address.replace(/[^/]+$/, '3f8c1b1e-6a43-4f0e-9a43-0d8a6c1c5b7e'),
    );
    for (const url of [address, order.certificate ?? '', order.authorizations[0] ?? '']) {
      const answer = await other.program.post(url);
      expect([answer.status, answer.body]).toMatchObject([404, { type: typeOf('malformed') }]);
    }
    expect((await other.program.post(address)).body).toEqual(unknown.body);
  });

  test('are over when their FQDN or their space is deleted, and a later one creates the FQDN again', async () => {
    const { program, space } = await place.addProgram();
    const asked = dnsIdentifiers('gone.example.com');
    const { body: order } = await program.order(asked);
    const [fqdn] = await fqdnsOf(space.id);
    const path = `/spaces/${space.id}/fqdns/${fqdn?.id}`;
    await place.app.request.delete(path).set(place.app.people.ada.auth).expect(200);
    const shown = await program.post(order.finalize.replace('/finalize', ''));
    expect(shown.body).toMatchObject({ status: 'invalid', error: { type: typeOf('unauthorized') } });
    const { order: later } = await program.issue(asked);
    expect(later.status).toBe('valid');
    await place.app.request
      .delete(`/spaces/${space.id}?deleteFqdns=true`)
      .set(place.app.people.ada.auth)
      .expect(200);
    expect((await program.order(asked)).status).toBe(401);
  });
});
