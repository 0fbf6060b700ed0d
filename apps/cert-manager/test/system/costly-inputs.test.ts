import { describeEachDialect } from '@certloop/db/testing';
import { stretchExcess } from '@certloop/server/testing';
import type supertest from 'supertest';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.js';
import { type ForeignRequest, foreignCertificate } from '../support/cas/foreign-ca.js';
import { grant } from '../support/factories.js';
import { addFqdn, addSpace, pathOf } from '../support/inventory.js';

const many = (count: number, make: (n: number) => string) => Array.from({ length: count }, (_, n) => make(n));

describeEachDialect('the largest inputs that a user with READ_WRITE on one space may send', (open) => {
  let app: TestApp;
  let spaceId: string;
  let importPath: string;
  const host = 'www.example.org';

  beforeAll(async () => {
    app = await startApp(open);
    spaceId = (await addSpace(app)).id;
    await grant(app, app.people.ben, 'READ_WRITE', [spaceId]);
    importPath = pathOf(await addFqdn(app, spaceId, host), 'certificates/import');
  });
  afterAll(() => app.close());

  const send = (method: 'get' | 'post', path: string, body?: object): supertest.Test => {
    const request = app.request[method](path).set(app.people.ben.auth);
    return body === undefined ? request : request.send(body);
  };

  const expectTurns = async (call: () => supertest.Test, status: number) =>
    expect(await stretchExcess(50, () => call().expect(status))).toBeUndefined();

  async function chainFor(names: Partial<ForeignRequest>): Promise<string> {
    const [notBefore, notAfter] = [-1, 59].map(
      (days) => new Date(app.clock.now().getTime() + days * 86_400_000),
    );
    if (notBefore === undefined || notAfter === undefined) throw new RangeError('no dates');
    const dnsNames = [host, ...(names.dnsNames ?? [])];
    const { leafPem, rootPem } = await foreignCertificate({ notBefore, notAfter, ...names, dnsNames });
    return `${leafPem}${rootPem}`;
  }

  test.each<[string, Partial<ForeignRequest>, number]>([
    [
      'host names and bases',
      {
        dnsNames: many(2700, (n) => `${n}.y`),
        permittedNames: { dnsNames: [...many(2200, (n) => `${n}.x`), 'y', 'org'], cidrs: [] },
      },
      200,
    ],
    [
      'addresses and ranges, more than are compared',
      {
        ipAddresses: many(3000, (n) => [10, 1, n >> 8, n & 255].join('.')),
        permittedNames: {
          dnsNames: ['org'],
          cidrs: [...many(1200, (n) => `11.1.${n >> 8}.${n & 255}/32`), '10.0.0.0/8'],
        },
      },
      400,
    ],
    [
      'addresses and ranges up to the bound',
      {
        ipAddresses: many(400, (n) => `2001:db8::${n}`),
        permittedNames: {
          dnsNames: ['org'],
          cidrs: [...many(600, (n) => `2001:db9::${n}/128`), '2001:db8::/32'],
        },
      },
      200,
    ],
    ['URIs', { uris: many(4500, (n) => `a:${n}`) }, 200],
  ])('an import with many %s: below 50 ms between turns', async (_situation, names, status) => {
    const pem = await chainFor(names);
    expect(pem.length).toBeLessThanOrEqual(65_536);
    if (status === 200) await send('post', importPath, { pem }).expect(201);
    await expectTurns(() => send('post', importPath, { pem }), status);
  });

  test.each<[string, () => readonly string[]]>([
    ['names', () => many(1000, (n) => `${n}.${'a'.repeat(60)}.example.org`)],
    ['long international names', () => many(1000, (n) => `${'ä'.repeat(100)}${n}`)],
    ['names of many labels', () => many(1000, (n) => `${n}${'.a'.repeat(120)}`)],
    ['names in Punycode', () => many(1000, (n) => `${n}${'.xn--4ca'.repeat(25)}`)],
  ])('a review of 1000 %s: below 50 ms between turns', async (_situation, make) => {
    const names = make();
    const call = () => send('post', `/spaces/${spaceId}/fqdns/review`, { names });
    await expectTurns(call, 200);
  });

  test.each<[string, string]>([
    ['a long search', `/fqdns?q=${'%25'.repeat(253)}`],
    ['a name that is not one', `/fqdns?fqdn=${encodeURIComponent('ä'.repeat(1000))}`],
    ['a search of the spaces', `/spaces?q=${'_'.repeat(100)}`],
    ['a long serial number', `/certificates?serialNumber=${'1'.repeat(7000)}`],
    ['a long fingerprint', `/certificates?sha256=${':'.repeat(7000)}`],
  ])('%s: below 50 ms between turns', async (_situation, path) => {
    const { status } = await send('get', path);
    expect(status).toBeLessThan(500);
    await expectTurns(() => send('get', path), status);
  });
});
