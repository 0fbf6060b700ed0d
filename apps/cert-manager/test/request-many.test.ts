import { randomUUID } from 'node:crypto';
import type { Fqdn } from '@certloop/contracts';
import { insertMany } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { csrs } from '../src/csrs/csrs.repository.js';
import { fqdns } from '../src/fqdns/fqdns.repository.js';
import { issuanceJobs } from '../src/issuance/issuance-jobs.repository.js';
import { spaces } from '../src/spaces/spaces.repository.js';
import { startApp, startAppOn, type TestApp } from './support/app.js';
import { addCsr, addFqdn, addSpace, pathOf } from './support/inventory.js';
import { orderingByHttp, type ScriptedAcme, startScriptedAcme } from './support/scripted-acme.js';
import { configure, newCsr, providerOf } from './support/signing.js';

// hundreds of orders share the cores with the test files beside; how long they take is measured by the bench
const patienceMs = 180_000;

const environmentOf = (ca: ScriptedAcme) => ({
  ENCRYPTION_KEYS: `one:${Buffer.alloc(32, 7).toString('base64')}`,
  ACME_DIRECTORY_URL: ca.directoryUrl,
});

type Place = Pick<Fqdn, 'id' | 'spaceId'>;

describeEachDialect('requests for certificates, many at once', (open) => {
  let app: TestApp;
  let ca: ScriptedAcme;
  let csrPem: string;
  let isTimePassing = false;
  beforeAll(async () => {
    ca = await startScriptedAcme(() => app.clock);
    const pause = async (ms: number) => {
      if (isTimePassing) app.clock.advance(ms);
      // others have their turn, as if the time had passed
      await new Promise((resolve) => setImmediate(resolve));
    };
    const orders = { pause, leaseMs: 6000 };
    app = await startApp(open, { environment: environmentOf(ca), orders });
    csrPem = await newCsr('www.example.org');
  });
  afterAll(async () => {
    await app.close();
    await ca.close();
  });

  const configureAcme = async (more: object) =>
    configure(app, await providerOf(app, 'acme'), { ...orderingByHttp(ca), ...more }).expect(200);

  /** FQDNs of one name in as many spaces, as copies of the first. */
  async function fqdnsWithCsr(count: number): Promise<Place[]> {
    const { id: spaceId } = await addSpace(app);
    const fqdn = await addFqdn(app, spaceId, 'www.example.org');
    await addCsr(app, fqdn, csrPem);
    const places = Array.from({ length: count - 1 }, () => ({ id: randomUUID(), spaceId: randomUUID() }));
    await app.database.transaction(async (tx) => {
      const space = await tx.findOneByOrFail(spaces, { id: spaceId });
      const row = await tx.findOneByOrFail(fqdns, { id: fqdn.id });
      const csr = await tx.findOneByOrFail(csrs, { fqdnId: fqdn.id });
      await insertMany(
        tx,
        spaces,
        places.map((place) => ({ ...space, id: place.spaceId })),
      );
      await insertMany(
        tx,
        fqdns,
        places.map((place) => ({ ...row, ...place })),
      );
      await insertMany(
        tx,
        csrs,
        places.map((place) => ({ ...csr, id: randomUUID(), fqdnId: place.id })),
      );
    });
    return [fqdn, ...places];
  }

  const request = (fqdn: Place, on: TestApp = app) =>
    on.request
      .post(`${pathOf(fqdn, 'request-certificate')}?wait=0`)
      .set(app.people.ada.auth)
      .send({})
      .expect(200);
  /** Each request is answered at once; so many connections at a time are what a machine takes. */
  async function requestAll(all: readonly Place[]): Promise<void> {
    for (let begin = 0; begin < all.length; begin += 100) {
      await Promise.all(all.slice(begin, begin + 100).map((fqdn) => request(fqdn)));
    }
  }
  const statuses = async () => {
    const jobs = await app.database.read((tx) => tx.find(issuanceJobs));
    return jobs.map(({ status, message }) => (status === 'failed' ? message : status));
  };

  /** Waits until none runs; a process that finds a lapsed lease meanwhile would take the job up. */
  async function untilAllEnded(): Promise<void> {
    for (let look = 1; look <= 400 && (await statuses()).includes('running'); look += 1) {
      await new Promise((resolve) => setTimeout(resolve, 300));
      if (look % 10 !== 0) continue;
      app.clock.advance(4000);
      await app.takeUpJobs();
    }
  }

  test(
    'all end well, however long they wait for each other',
    async () => {
      // each waits for longer than the CA may take for one answer, and than a lease lasts
      await configureAcme({ timeouts: { requestMs: 5000 }, limits: { maxConcurrency: 32 } });
      ca.orderMs = 250;
      const all = await fqdnsWithCsr(1000);
      await requestAll(all);
      await untilAllEnded();
      expect(app.logged().filter(({ event }) => event === 'issuance.taken_up')).toEqual([]);
      const ends = await statuses();
      expect(ends.filter((end) => end !== 'completed')).toEqual([]);
      expect(ends).toHaveLength(1000);
      expect(ca.orders).toHaveLength(1000);
      expect(ca.csrs).toHaveLength(1000);
    },
    patienceMs,
  );

  test(
    'all end well at the pace that the CA allows',
    async () => {
      ca.forget();
      ca.orderMs = 0;
      await configureAcme({});
      isTimePassing = true;
      // as public CAs do: some at once, then one each half a minute
      let tokens = 40;
      let next = app.clock.now().getTime() + 30_000;
      ca.limit = () => {
        const now = app.clock.now().getTime();
        for (; now >= next; next += 30_000) tokens = Math.min(tokens + 1, 40);
        if (tokens === 0) return Math.ceil((next - now) / 1000);
        tokens -= 1;
        return 0;
      };
      const all = await fqdnsWithCsr(120);
      const began = app.clock.now().getTime();
      await requestAll(all);
      while ((await statuses()).includes('running')) await new Promise((resolve) => setTimeout(resolve, 100));
      expect((await statuses()).filter((end) => end !== 'completed')).toEqual([]);
      expect(ca.orders).toHaveLength(120);
      expect(app.clock.now().getTime() - began).toBeGreaterThan(79 * 30_000);
      // all that were under way at first, and then two for each that had to wait
      const refused = ca.asks.filter((ask) => ask === 'newOrder').length - 120;
      expect(refused).toBeGreaterThan(20);
      expect(refused).toBeLessThan(32 + 2 * 80);
      ca.limit = () => 0;
      isTimePassing = false;
    },
    patienceMs,
  );

  test(
    'that wait when the process stops are left to the next one',
    async () => {
      ca.forget();
      ca.orderMs = 200;
      const other = await startAppOn(app.database, { environment: environmentOf(ca), beside: app });
      const fqdns = await fqdnsWithCsr(60);
      await Promise.all(fqdns.map((fqdn) => request(fqdn, other)));
      await other.close();
      ca.orderMs = 0;
      await app.takeUpJobs();
      for (let left = 300; left > 0 && (await statuses()).includes('running'); left -= 1) {
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      expect((await statuses()).filter((end) => end !== 'completed')).toEqual([]);
      expect(ca.csrs).toHaveLength(60);
    },
    patienceMs,
  );
});
