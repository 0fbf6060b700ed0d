import type { Fqdn } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { type OrderingPlace, startOrdering } from '../support/acme/ordering-place.js';
import { createChainedCa, type Link } from '../support/cas/chained-ca.js';
import { addFqdn, addSpace, pathOf } from '../support/inventory.js';
import { certificatesOf, clearInventory } from '../support/renewals.js';
import { fqdnWithCsr, providerOf } from '../support/signing.js';

const hostname = 'www.example.org';

const newKey: readonly Link[] = [
  { name: 'Narrow', pathLength: 0 },
  { name: 'Narrow', pathLength: 0 },
];

const refused: readonly [string, readonly Link[], RegExp][] = [
  [
    'whose intermediate expired',
    [{ name: 'Old', endsIn: -1 }],
    /TLS clients refuse the chain: "CN=Old" expired/,
  ],
  [
    'that is longer than one of its CAs allows',
    [{ name: 'Narrow', pathLength: 0 }, { name: 'Below' }],
    /"CN=Narrow" allows only 0 further authorities below it/,
  ],
];

describeEachDialect('the chain of a certificate', (open) => {
  let place: OrderingPlace;
  beforeAll(async () => {
    place = await startOrdering(open, {});
  });
  afterEach(() => clearInventory(place.app));
  afterAll(() => place.close());

  const chainOf = (links: readonly Link[]) => createChainedCa(place.app.clock.now(), links);
  const importChain = (fqdn: Fqdn, pem: string) =>
    place.app.request.post(pathOf(fqdn, 'certificates/import')).set(place.app.people.ada.auth).send({ pem });
  const order = async (fqdn: Fqdn) => {
    const { id: providerId } = await providerOf(place.app, 'acme');
    const path = pathOf(fqdn, 'csr/sign');
    const answer = await place.app.request.post(path).set(place.app.people.ada.auth).send({ providerId });
    return answer.body;
  };

  test.each(refused)('%s is not imported', async (_, links, reason) => {
    const ca = await chainOf(links);
    const fqdn = await addFqdn(place.app, (await addSpace(place.app)).id, hostname);
    const pem = [await ca.leafFor(hostname), ...ca.intermediates].join('');
    const { body } = await importChain(fqdn, pem).expect(400);
    expect(body.errors).toEqual([{ path: 'pem', code: 'unsound_chain', message: body.detail }]);
    expect(body.detail).toMatch(reason);
    expect(body.detail).toMatch(/fetch the chain again from the CA/);
    expect(await certificatesOf(place.app, fqdn)).toEqual([]);
  });

  test.each(refused)('%s is not taken from a CA', async (_, links, reason) => {
    const ca = await chainOf(links);
    place.acme.issue = async (csrDer) => [await ca.sign(csrDer), ...ca.intermediates].join('');
    const { fqdn } = await fqdnWithCsr(place.app);
    const answer = await order(fqdn);
    expect(answer).toMatchObject({ success: false });
    expect(answer.message).toMatch(reason);
    expect(await certificatesOf(place.app, fqdn)).toEqual([]);
  });

  test('includes the certificate that a CA issued for its new key', async () => {
    const ca = await chainOf(newKey);
    const fqdn = await addFqdn(place.app, (await addSpace(place.app)).id, hostname);
    const pem = [await ca.leafFor(hostname), ...ca.intermediates].join('');
    const { body } = await importChain(fqdn, `${pem}${ca.rootPem}`).expect(201);
    expect(body.pem).toBe(pem);
  });
});
