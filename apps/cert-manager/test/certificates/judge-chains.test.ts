import { createServer } from 'node:http';
import type { Fqdn } from '@certloop/contracts';
import { certificateLabel, parsePem } from '@certloop/crypto';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type OrderingPlace, startOrdering } from '../support/acme/ordering-place.js';
import { orderingByHttp } from '../support/acme/scripted-acme.js';
import { createChainedCa, type Link } from '../support/cas/chained-ca.js';
import { addFqdn, addSpace, pathOf } from '../support/inventory.js';
import { certificatesOf, clearInventory } from '../support/renewals.js';
import { configure, fqdnWithCsr, providerOf } from '../support/signing.js';
import { listening } from '../support/small-server.js';

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

  test('is read out of an answer that has more, in another order', async () => {
    const ca = await chainOf([{ name: 'Upper' }, { name: 'Lower' }]);
    const stranger = await chainOf([{ name: 'Stranger' }]);
    let leaf = '';
    place.acme.issue = async (csrDer) => {
      leaf = await ca.sign(csrDer);
      const chain = [leaf, ...ca.intermediates, ca.rootPem].toReversed();
      return ['-----\n', ...stranger.intermediates, ...chain].join('');
    };
    const { fqdn } = await fqdnWithCsr(place.app);
    expect(await order(fqdn)).toMatchObject({ success: true });
    const pem = [leaf, ...ca.intermediates].join('');
    expect(await certificatesOf(place.app, fqdn)).toMatchObject([{ pem }]);
  });

  test('does not begin with a CA', async () => {
    const ca = await chainOf([{ name: 'Upper' }]);
    place.acme.issue = (csrDer) => ca.sign(csrDer, { isAuthority: true });
    const { fqdn } = await fqdnWithCsr(place.app);
    expect(await order(fqdn)).toEqual({ success: false, message: 'the certificate is that of a CA' });
  });

  describe('that lacks its intermediate', () => {
    let pem: string;
    let close: () => Promise<void>;
    const asked: string[] = [];
    const serve = async (pemAt: (path: string) => string | undefined) => {
      const server = createServer((request, response) => {
        const path = request.url ?? '';
        asked.push(path);
        const found = pemAt(path);
        if (found === undefined) response.writeHead(404).end();
        else response.end(parsePem(found, [certificateLabel]));
      });
      const { url, close: end } = await listening(server);
      close = end;
      return url;
    };
    const alone = async () => {
      const url = await serve(() => pem);
      const ca = await chainOf([{ name: 'Lone', caIssuers: `${url}/lone.cer` }]);
      pem = ca.intermediates.join('');
      place.acme.issue = (csrDer) => ca.sign(csrDer);
      return (await fqdnWithCsr(place.app)).fqdn;
    };
    const permit = async (allowPrivateNetwork: boolean) =>
      configure(place.app, await providerOf(place.app, 'acme'), {
        ...orderingByHttp(place.acme),
        allowPrivateNetwork,
      }).expect(200);
    afterEach(async () => {
      await close();
      await permit(false);
      asked.length = 0;
    });

    test('is completed from the address that the certificate names', async () => {
      await permit(true);
      const fqdn = await alone();
      expect(await order(fqdn)).toMatchObject({ success: true });
      const [certificate] = await certificatesOf(place.app, fqdn);
      expect(certificate?.pem.endsWith(pem)).toBe(true);
      expect(asked).toEqual(['/lone.cer']);
    });

    test.each([
      ['is completed over several levels', ['/1.cer', '/2.cer', '/3.cer']],
      ['is completed as far as addresses answer', ['/1.cer', '/2.cer']],
    ])('%s', async (_, served) => {
      await permit(true);
      let intermediates: readonly string[] = [];
      const url = await serve((path) =>
        served.includes(path) ? intermediates[Number(path[1]) - 1] : undefined,
      );
      const links = [3, 2, 1].map((level) => ({ name: `Level ${level}`, caIssuers: `${url}/${level}.cer` }));
      const ca = await chainOf(links);
      ({ intermediates } = ca);
      place.acme.issue = (csrDer) => ca.sign(csrDer);
      const { fqdn } = await fqdnWithCsr(place.app);
      expect(await order(fqdn)).toMatchObject({
        success: true,
        message: expect.not.stringMatching(/fetched/),
      });
      const [certificate] = await certificatesOf(place.app, fqdn);
      expect(certificate?.pem.endsWith(intermediates.slice(0, served.length).join(''))).toBe(true);
      expect(certificate?.pem.match(/BEGIN/g)).toHaveLength(1 + served.length);
      expect(asked).toEqual(['/1.cer', '/2.cer', '/3.cer']);
    });

    test('is stored with a finding if the address must not be called', async () => {
      const fqdn = await alone();
      const { success, message } = await order(fqdn);
      expect(success).toBe(true);
      expect(message).toMatch(
        /without its intermediate, which could not be fetched: .*fetch the chain again/,
      );
      expect(asked).toEqual([]);
    });

    test('is stored with a finding if another certificate is there', async () => {
      await permit(true);
      const fqdn = await alone();
      pem = (await chainOf([{ name: 'Lone' }])).intermediates.join('');
      expect((await order(fqdn)).message).toMatch(/lone\.cer is not the certificate of its issuer/);
    });
  });

  test('includes the certificate that a CA issued for its new key', async () => {
    const ca = await chainOf(newKey);
    const fqdn = await addFqdn(place.app, (await addSpace(place.app)).id, hostname);
    const pem = [await ca.leafFor(hostname), ...ca.intermediates].join('');
    const { body } = await importChain(fqdn, `${pem}${ca.rootPem}`).expect(201);
    expect(body.pem).toBe(pem);
  });
});
