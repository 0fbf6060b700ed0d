import type { Fqdn } from '@certloop/contracts';
import { parseCertificate, spkiSha256, splitChain } from '@certloop/crypto';
import { executeSql } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { OrderMoment } from '../../src/acme/orders/order-steps.js';
import { orderingByHttp, type ScriptedAcme, startScriptedAcme } from '../support/acme/scripted-acme.js';
import { createChainedCa } from '../support/cas/chained-ca.js';
import { addCsr, auditEntries, pathOf } from '../support/inventory.js';
import {
  addTestRenewal,
  certificatesOf,
  clearInventory,
  issuedFqdn,
  type SuitePlace,
  signWith,
  startRenewing,
} from '../support/renewals.js';
import { configure, countOpenRequests, enable, fqdnWithCsr, newCsr, providerOf } from '../support/signing.js';

const minute = 60_000;

/** What the death of the process looks like. */
class Death extends Error {}

describeEachDialect('a certificate that a CA issued and that is not stored', (open) => {
  let place: SuitePlace;
  let acme: ScriptedAcme;
  let deadly: OrderMoment | undefined;
  let acmeId: string;
  beforeAll(async () => {
    acme = await startScriptedAcme(() => place.app.clock);
    place = await startRenewing(open, {
      environment: {
        ENCRYPTION_KEYS: `one:${Buffer.alloc(32, 7).toString('base64')}`,
        ACME_DIRECTORY_URL: acme.directoryUrl,
      },
      orders: {
        pause: async () => undefined,
        atMoment: async (moment) => {
          if (moment !== deadly) return;
          deadly = undefined;
          throw new Death(moment);
        },
      },
    });
    const provider = await providerOf(place.app, 'acme');
    acmeId = provider.id;
    await configure(place.app, provider, orderingByHttp(acme)).expect(200);
    await enable(place.app, provider).expect(200);
  });
  beforeEach(async () => {
    acme.forget();
    await place.app.database.transaction((tx) => executeSql(tx, 'delete from issuances'));
  });
  afterEach(async () => {
    place.ca.answer('normally');
    await clearInventory(place.app);
  });
  afterAll(async () => {
    await place.close();
    await acme.close();
  });

  /** Makes the CA issue certificates of CAs; returns what it issued. */
  const issueWrong = async (): Promise<string[]> => {
    const ca = await createChainedCa(place.app.clock.now(), []);
    const issued: string[] = [];
    acme.issue = async (csrDer) => {
      const pem = await ca.sign(csrDer, { isAuthority: true });
      issued.push(pem);
      return pem;
    };
    return issued;
  };
  const request = async (fqdn: Fqdn) => {
    const path = `${pathOf(fqdn, 'request-certificate')}?wait=20`;
    const asked = place.app.request.post(path).set(place.app.people.ada.auth);
    return (await asked.send({ providerId: acmeId }).expect(200)).body;
  };
  const recorded = async ({ id }: Fqdn): Promise<Readonly<Record<string, unknown>>[]> => {
    const all = await auditEntries(place.app, 'certificate.issue');
    return all
      .filter(({ outcome, details }) => outcome === 'failure' && details['fqdnId'] === id)
      .map(({ details }) => details)
      .filter((details) => String(details['reason']).includes('not stored') || 'csrId' in details);
  };
  const factsOf = (pem: string) => {
    const leaf = parseCertificate(splitChain(pem)[0] ?? Buffer.alloc(0));
    return { serial: leaf.serialNumber, spkiSha256: spkiSha256(leaf.spkiDer) };
  };

  test('by an order is named in the audit log, after a second download', async () => {
    const issued = await issueWrong();
    const { fqdn } = await fqdnWithCsr(place.app);
    expect(await request(fqdn)).toMatchObject({ success: false, message: 'the certificate is that of a CA' });
    expect(acme.asks.filter((ask) => ask === 'certificate')).toHaveLength(2);
    expect(await recorded(fqdn)).toEqual([
      expect.objectContaining({
        ...factsOf(issued[0] ?? ''),
        provider: 'acme',
        providerId: acmeId,
        upstreamId: expect.stringMatching(/\/certificate\/1$/),
        reason: 'issued, but not stored: the certificate is that of a CA',
      }),
    ]);
  });

  test('is taken if the second download is well', async () => {
    const { fqdn } = await fqdnWithCsr(place.app);
    acme.script('certificate', { status: 200, body: { pem: 'half of it' } });
    expect(await request(fqdn)).toMatchObject({ success: true });
    expect([acme.orders.length, await recorded(fqdn)]).toEqual([1, []]);
  });

  test.each(['finalizing', 'finalized', 'downloaded'] as const)(
    'is named once although the process ends at the moment %s',
    async (moment) => {
      const issued = await issueWrong();
      const { fqdn } = await fqdnWithCsr(place.app);
      deadly = moment;
      const path = `${pathOf(fqdn, 'request-certificate')}?wait=0`;
      await place.app.request
        .post(path)
        .set(place.app.people.ada.auth)
        .send({ providerId: acmeId })
        .expect(200);
      await untilDead();
      place.app.clock.advance(5 * minute);
      await place.app.takeUpJobs();
      expect(await request(fqdn)).toMatchObject({ success: false });
      const named = await recorded(fqdn);
      expect(named[0]).toMatchObject(factsOf(issued[0] ?? ''));
      const serials = named.map(({ serial }) => serial);
      expect(new Set(serials).size).toBe(serials.length);
      expect(serials.toSorted()).toEqual(issued.map((pem) => factsOf(pem).serial).toSorted());
    },
  );

  const untilDead = async () => {
    while (deadly !== undefined) await new Promise((resolve) => setImmediate(resolve));
  };

  test('by an order that another CSR ends is asked for before', async () => {
    const { fqdn } = await fqdnWithCsr(place.app);
    acme.script('certificate', { status: 503 });
    expect(await request(fqdn)).toMatchObject({ success: false });
    await addCsr(place.app, fqdn, await newCsr(fqdn.fqdn));
    place.app.clock.advance(5 * minute);
    await place.app.takeUpJobs();
    await expectSoon(async () => {
      expect(await recorded(fqdn)).toMatchObject([
        { serial: '65', provider: 'acme', reason: expect.stringMatching(/another CSR was uploaded/) },
      ]);
    });
    expect(await certificatesOf(place.app, fqdn)).toEqual([]);
  });

  const expectSoon = async (check: () => Promise<void>) => {
    for (let left = 500; ; left -= 1) {
      try {
        return await check();
      } catch (error) {
        if (left === 0) throw error;
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
  };

  test('by csr/sign and by a renewal of a direct CA is named in the audit log', async () => {
    const fqdn = await issuedFqdn(place);
    place.ca.answer('with a further name');
    expect((await signWith(place, fqdn)).body).toMatchObject({ success: false });
    await addTestRenewal(place.app, fqdn);
    await place.app.renew();
    const named = await recorded(fqdn);
    expect(named).toHaveLength(2);
    for (const details of named) {
      expect(details).toMatchObject({
        serial: expect.stringMatching(/^[0-9a-f]+$/),
        spkiSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        provider: 'dummy-ca',
        upstreamId: expect.any(String),
        reason: expect.stringMatching(/has a name that the CSR has not: stray/),
      });
    }
    expect(await countOpenRequests(place.app)).toBe(0);
  });

  test.each(['with the answer of a gateway', 'without JSON'] as const)(
    'is stored later if the CA answers %s',
    async (manner) => {
      const { fqdn } = await fqdnWithCsr(place.app);
      place.ca.answer(manner);
      expect((await signWith(place, fqdn)).body).toMatchObject({ success: false });
      expect(await countOpenRequests(place.app)).toBe(1);
      place.ca.answer('normally');
      place.app.clock.advance(5 * minute);
      await place.app.recoverSigning();
      expect(await certificatesOf(place.app, fqdn)).toHaveLength(1);
      expect(await recorded(fqdn)).toEqual([]);
    },
  );
});
