import { randomUUID } from 'node:crypto';
import { renewalIdOf } from '@certloop/acme-server/rules';
import { type AcmeClient, type Answer, dnsIdentifiers } from '@certloop/acme-server/testing';
import type { AcmeOrder, AcmeProblemDocument } from '@certloop/contracts';
import { certificateLabel, parseCertificate, parsePem } from '@certloop/crypto';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FrontPlace, startFront } from '../support/front/front-place.js';

/** An account of an ACME client, with an open order and a certificate for two names. */
interface Tenant {
  readonly program: AcmeClient;
  readonly names: readonly string[];
  readonly open: { readonly url: string; readonly order: AcmeOrder };
  readonly issued: { readonly url: string; readonly order: AcmeOrder };
  readonly der: Buffer;
  readonly renewalId: string;
}

const tenantNames = ['a1', 'a2', 'b', 'c'] as const;
type TenantName = (typeof tenantNames)[number];
const pairs = tenantNames.flatMap((asking) =>
  tenantNames.filter((other) => other !== asking).map((other) => [asking, other] as const),
);
const others = pairs.filter(([asking, other]) => asking[0] !== other[0]);

describeEachDialect('what the key of an ACME client reaches', (open) => {
  let place: FrontPlace;
  let tenants: Readonly<Record<TenantName, Tenant>>;

  beforeAll(async () => {
    place = await startFront(open);
    // two accounts of one client; another client of its space; a client of another space
    const a = await place.addClient({ names: { suffixes: ['a.example', 'shared.example'] } });
    const b = await place.addClient({ names: { suffixes: ['b.example'] } }, a.spaceId);
    const c = await place.addClient({ names: { suffixes: ['c.example', 'shared.example'] } });
    tenants = {
      a1: await settle(await place.register(a), ['one.a.example', 'two.a.example']),
      a2: await settle(await place.register(a), ['three.a.example', 'four.a.example']),
      b: await settle(await place.register(b), ['one.b.example', 'two.b.example']),
      c: await settle(await place.register(c), ['held.shared.example', 'one.c.example']),
    };
  });
  afterAll(() => place.close());

  async function settle(program: AcmeClient, names: readonly string[]): Promise<Tenant> {
    const placed = await program.order(dnsIdentifiers(...names));
    const { body: order } = await program.finalize(placed.body);
    const { text } = await program.post(order.certificate ?? '');
    const [leaf = ''] = text.split(/(?<=-----END CERTIFICATE-----\n)/);
    const der = parsePem(leaf, [certificateLabel]);
    const ready = await program.order(dnsIdentifiers(names[0] ?? ''));
    return {
      program,
      names,
      open: { url: urlOf(ready), order: ready.body },
      issued: { url: urlOf(placed), order },
      der,
      renewalId: renewalIdOf(parseCertificate(der)),
    };
  }

  describe('names', () => {
    const refusalOf = ({ status, body }: Answer) => ({ status, body: body as AcmeProblemDocument });

    test.each(others)('%s may not have those of %s, by one sentence', async (asking, other) => {
      const [first = '', second = ''] = tenants[other].names;
      const names = [first, second, `below.${first}`, `*.${first}`];
      for (const name of names) {
        const { status, body } = refusalOf(await tenants[asking].program.order(dnsIdentifiers(name)));
        expect({ name, status, body }).toEqual({ name, ...sentenceFor(name) });
      }
    });

    test('are refused by the same answer whatever the reason', async () => {
      const names = {
        'not among those of the client': 'www.elsewhere.example',
        'held by another space': 'held.shared.example',
        'below a name that another space holds': 'www.held.shared.example',
        'a wildcard': '*.a.example',
        'of another client of the space': 'one.b.example',
      };
      const shapes: Record<string, unknown> = {};
      for (const [reason, name] of Object.entries(names)) {
        const answer = await tenants.a1.program.order(dnsIdentifiers(name));
        shapes[reason] = shapeOf(answer, name);
      }
      const [first] = Object.values(shapes);
      expect(shapes).toEqual(Object.fromEntries(Object.keys(names).map((reason) => [reason, first])));
    });

    test('are refused together, each by its subproblem, and nothing is created', async () => {
      const asked = ['new.a.example', 'one.c.example', 'held.shared.example'];
      const { status, body } = refusalOf(await tenants.a1.program.order(dnsIdentifiers(...asked)));
      expect(status).toBe(400);
      expect(body.subproblems?.map(({ identifier }) => identifier?.value)).toEqual(asked.slice(1));
      const { body: fqdns } = await place.app.request
        .get('/fqdns?q=new.a.example')
        .set(place.app.people.ada.auth);
      expect(fqdns).toEqual([]);
    });
  });

  describe('what belongs to other accounts', () => {
    /** What each kind is asked with, and its addresses. */
    const kinds: Readonly<Record<string, readonly [object | '', (tenant: Tenant) => readonly string[]]>> = {
      orders: ['', ({ open: { url }, issued }) => [url, issued.url]],
      finalize: [{ csr: 'AA' }, ({ open: { order } }) => [order.finalize]],
      authorizations: [
        '',
        ({ open: { order }, issued }) => [...order.authorizations, ...issued.order.authorizations],
      ],
      'authorizations to deactivate': [
        { status: 'deactivated' },
        ({ open: { order } }) => order.authorizations,
      ],
      certificates: ['', ({ issued: { order } }) => [order.certificate ?? '']],
      chains: ['', ({ issued: { order } }) => [`${order.certificate ?? ''}/0`]],
      accounts: ['', ({ program }) => [program.kid]],
      'accounts to deactivate': [{ status: 'deactivated' }, ({ program }) => [program.kid]],
      'lists of orders': ['', ({ program }) => [`${program.kid}/orders`]],
    };

    const known = new Map<string, unknown>();
    /** What the account gets of what does not exist, asked for once. */
    const shapeOfUnknown = async (asking: string, kind: string, ask: () => Promise<Answer>) => {
      const key = `${asking} ${kind}`;
      if (!known.has(key)) known.set(key, shapeOf(await ask(), ''));
      return known.get(key);
    };

    test.each(pairs)('%s gets of that of %s what it gets of what does not exist', async (asking, other) => {
      const { program } = tenants[asking];
      for (const [kind, [payload, urlsOf]] of Object.entries(kinds)) {
        const [first = '', ...more] = urlsOf(tenants[other]);
        const unknown = await shapeOfUnknown(asking, kind, () => program.post(elsewhere(first), payload));
        expect({ kind, unknown }).toMatchObject({ kind, unknown: { isRefused: true } });
        for (const url of [first, ...more]) {
          expect({ kind, shape: shapeOf(await program.post(url, payload), '') }).toEqual({
            kind,
            shape: unknown,
          });
        }
      }
      // it is as it was
      const { body } = await tenants[other].program.post<AcmeOrder>(tenants[other].open.url);
      expect(body.status).toBe('ready');
    });

    test.each(pairs.filter(([asking]) => asking === 'a1'))(
      '%s gets no page of its list by the orders of %s',
      async (asking, other) => {
        const { program } = tenants[asking];
        const pageOf = (id: string) => program.post(`${program.kid}/orders?cursor=${id}`);
        const foreign = await pageOf(idOf(tenants[other].open.url));
        expect(foreign.status).toBe(404);
        expect(shapeOf(foreign, '')).toEqual(shapeOf(await pageOf(randomUUID()), ''));
        const { body } = await program.post<{ orders: string[] }>(`${program.kid}/orders`);
        expect(body.orders).toEqual([tenants[asking].issued.url, tenants[asking].open.url]);
      },
    );

    test.each(others)('%s may neither revoke nor replace the certificate of %s', async (asking, other) => {
      const { program, names } = tenants[asking];
      const { der, renewalId } = tenants[other];
      const revoked = await program.post(`${place.base}/acme/revoke-cert`, {
        certificate: der.toString('base64url'),
      });
      expect(shapeOf(revoked, '')).toMatchObject({ status: 404 });
      const unknown = `${renewalId.split('.')[0]}.${Buffer.from(randomUUID()).toString('base64url')}`;
      const order = (replaces: string) => program.order(dnsIdentifiers(names[0] ?? ''), { replaces });
      expect(shapeOf(await order(renewalId), '')).toEqual(shapeOf(await order(unknown), ''));
    });

    test('no key that has no account learns whose certificate it is', async () => {
      const stranger = new (Object.getPrototypeOf(tenants.a1.program).constructor)(place.base) as AcmeClient;
      const revoke = (certificate: Buffer) =>
        stranger.post(`${place.base}/acme/revoke-cert`, { certificate: certificate.toString('base64url') });
      // another certificate of the same form: the last octet of the signature differs
      const unknown = Buffer.from(tenants.c.der);
      unknown[unknown.length - 1] = (unknown.at(-1) ?? 0) ^ 1;
      const answer = await revoke(tenants.c.der);
      expect(answer.status).toBe(404);
      expect(shapeOf(answer, '')).toEqual(shapeOf(await revoke(unknown), ''));
    });
  });

  test('the directory and renewalInfo contain nothing of spaces, clients and names', async () => {
    const texts = await Promise.all([
      fetch(`${place.base}/acme/directory`).then((answer) => answer.text()),
      ...Object.values(tenants).map(async ({ renewalId }) => {
        const answer = await fetch(`${place.base}/acme/renewal-info/${renewalId}`);
        return JSON.stringify([...answer.headers, await answer.text()]);
      }),
    ]);
    const [directory, ...infos] = texts;
    expect(
      new Set(
        infos.map((text) => (JSON.parse(text) as string[]).at(-1)?.match(/explanationURL":"([^"]+)/)?.[1]),
      ).size,
    ).toBe(1);
    const { body: spaces } = await place.app.request.get('/spaces').set(place.app.people.ada.auth);
    const words = [
      ...spaces.map(({ id }: { id: string }) => id),
      ...Object.values(tenants).flatMap(({ names }) => names),
    ];
    for (const word of words) expect(`${directory} ${infos.join(' ')}`).not.toContain(word);
  });
});

function urlOf({ headers }: Answer): string {
  return headers.get('location') ?? '';
}

function idOf(url: string): string {
  return url.split('/').at(-1) ?? '';
}

const anyId = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/;

/** The same address with an id that nothing has. */
function elsewhere(url: string): string {
  return url.replace(anyId, randomUUID());
}

/** Answer of a refusal without what differs in each: its nonce, its moment, and the part of the request that it names. */
function shapeOf({ status, headers, text }: Answer, named: string): unknown {
  const fields = [...headers].filter(
    ([name]) => !['replay-nonce', 'date', 'x-request-id', 'content-length', 'etag'].includes(name),
  );
  return {
    status,
    isRefused: status >= 400,
    headers: fields,
    text: named === '' ? text : text.replaceAll(named, '…'),
  };
}

function sentenceFor(name: string) {
  const detail = `this client may not have ${name}; administrators of its space can change that`;
  return {
    status: 400,
    body: expect.objectContaining({
      type: 'urn:ietf:params:acme:error:rejectedIdentifier',
      detail: expect.stringContaining(detail),
      subproblems: [expect.objectContaining({ detail, identifier: { type: 'dns', value: name } })],
    }),
  };
}
