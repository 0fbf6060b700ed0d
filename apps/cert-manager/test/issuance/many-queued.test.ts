import { randomUUID } from 'node:crypto';
import { queryObjects } from 'node:v8';
import type { Provider } from '@certloop/contracts';
import { until } from '@certloop/contracts/testing';
import { describeEachDialect } from '@certloop/db/testing';
import { stretchExcess } from '@certloop/server/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { insertJob } from '../../src/issuance/jobs/issuance-jobs.repository.js';
import { type IssuanceRow, issuances } from '../../src/issuance/signing/issuances.repository.js';
import { startAppOn, type TestApp } from '../support/app.js';
import { type Caller, callBeside } from '../support/ask-beside.js';
import { letGo } from '../support/cas/concurrent-signing.js';
import { addJob } from '../support/issuance.js';
import { seedIssuances } from '../support/large-place.js';
import {
  certificatesOf,
  clearInventory,
  moveToRenewal,
  renewedFqdn,
  type SuitePlace,
  startRenewing,
} from '../support/renewals.js';
import { createProvider } from '../support/signing.js';

const count = 100_000;
const minute = 60_000;
// a process works on 32 jobs of a provider at once
const atOnce = 32;

describeEachDialect('100,000 requests for certificates that no process works on', (open) => {
  let place: SuitePlace;
  let further: Provider;
  let seeds = 0;
  /** The process that has just started. */
  let app: TestApp;
  beforeAll(async () => {
    place = await startRenewing(open);
    const config = { baseUrl: place.ca.url, validityDays: 30 };
    further = await createProvider(place.app, { kind: 'dummy-ca', name: 'further', config });
    // what runs for the first time is compiled first
    await start();
    await seed('queued', 100);
    await app.takeUpJobs();
    await until(async () => (await countRows('failed')) === 100);
  });
  beforeEach(() => restart());
  afterEach(() => clearInventory(place.app));
  afterAll(async () => {
    await stop();
    await place.close();
  });

  async function start(): Promise<void> {
    const environment = { DUMMY_CA_URL: place.ca.url };
    app = await startAppOn(place.app.database, { beside: place.app, environment });
  }
  async function stop(): Promise<void> {
    await letGo(place.ca);
    await app.close();
  }
  /** No row and no process of before is left; the CA holds what it is asked for. */
  async function restart(): Promise<void> {
    await stop();
    await place.app.database.longTransaction((tx) => tx.clear(issuances));
    await start();
    place.ca.answer('when let go');
  }

  const countRows = (state: IssuanceRow['state']) =>
    place.app.database.read((tx) => tx.countBy(issuances, { state }));

  const since = (state: IssuanceRow['state']) => ({
    state,
    nextAt: new Date(place.app.clock.now().getTime() - 60 * minute),
    ...(state === 'unknown' && { finishedAt: new Date(place.app.clock.now().getTime() - 90 * minute) }),
  });

  /** Copies a job for FQDNs of their own. */
  async function seed(state: IssuanceRow['state'], copies: number): Promise<void> {
    const { database } = place.app;
    const { job } = await addJob(place.app, { ...since(state), providerId: place.providerId });
    seeds += 1;
    await seedIssuances(database, job.id, {
      count: copies,
      idsFrom: String(seeds).padStart(8, '0'),
      hasOwnFqdn: true,
    });
    await database.transaction((tx) => tx.delete(issuances, { id: job.id }));
  }

  const runningOf = async (providerId: string) =>
    (await place.app.database.read((tx) => tx.findBy(issuances, { state: 'running', providerId })))
      .map(({ id }) => id)
      .toSorted();

  describe.each(['queued', 'unknown'] as const)('and are %s', (state) => {
    /** A job that became due so many milliseconds before the others. */
    const addDue = async (beforeMs: number, providerId = place.providerId) => {
      const nextAt = new Date(since(state).nextAt.getTime() - beforeMs);
      return (await addJob(place.app, { ...since(state), nextAt, providerId })).job.id;
    };
    /** Seeds the jobs; returns those that became due first, which the CA holds. */
    const hold = async (copies = count) => {
      await seed(state, copies);
      const first: string[] = [];
      for (let n = 0; n < atOnce; n += 1) first.push(await addDue(minute - n));
      return first.toSorted();
    };

    test('are begun in their order, a few at a time, while others are served', async () => {
      let first: readonly string[] = [];
      let promises = 0;
      let caller: Caller | undefined;
      const prepare = async () => {
        await restart();
        first = await hold();
        caller = await callBeside(app);
        promises = queryObjects(Promise, { format: 'count' });
      };
      const work = async () => {
        const rounds = [app.takeUpJobs(), app.takeUpJobs()];
        expect(await caller?.ask('GET', '/health/ready')).toMatchObject({ status: 200 });
        await Promise.all(rounds);
        caller?.close();
      };
      expect(await stretchExcess(50, work, prepare)).toBeUndefined();
      expect(queryObjects(Promise, { format: 'count' }) - promises).toBeLessThan(5_000);
      expect(await runningOf(place.providerId)).toEqual(first);
      expect(await countRows(state)).toBe(count);
    });

    test('are continued as soon as others have ended, and the jobs of another provider at once', async () => {
      const { ca, providerId } = place;
      await hold(2_000);
      const last = await addDue(-30 * minute, further.id);
      await app.takeUpJobs();
      expect(await runningOf(further.id)).toEqual([last]);
      expect(await runningOf(providerId)).toHaveLength(atOnce);
      await letGo(ca);
      // those of deleted FQDNs end without a CA
      await until(async () => (await countRows('failed')) >= 200);
      expect(await countRows('issued')).toBe(atOnce + 1);
      const ended = await app.database.read((tx) => tx.findBy(issuances, { state: 'failed' }));
      const numbers = ended.map(({ id }) => Number.parseInt(id.slice(-12), 16));
      expect(Math.max(...numbers)).toBeLessThan(ended.length + 2 * atOnce);
    });
  });

  test('do not wait for failed ones whose FQDNs have an open job', async () => {
    const { providerId } = place;
    const nextAt = since('unknown').nextAt;
    for (let n = 0; n < 2 * atOnce; n += 1) {
      const { job } = await addJob(place.app, { ...since('unknown'), providerId });
      const open = { ...job, id: randomUUID(), state: 'waiting', nextAt: null, finishedAt: null } as const;
      await app.database.transaction((tx) => insertJob(tx, open));
    }
    const later = { ...since('unknown'), nextAt: new Date(nextAt.getTime() + 1), providerId };
    const { job } = await addJob(place.app, later);
    await app.takeUpJobs();
    expect(await runningOf(providerId)).toEqual([job.id]);
    expect(await countRows('unknown')).toBe(2 * atOnce);
  });

  test('do not keep renewals of other FQDNs waiting', async () => {
    await letGo(place.ca);
    const fqdn = await renewedFqdn(place);
    await moveToRenewal(place.app, fqdn);
    await seed('queued', count);
    expect(await stretchExcess(50, () => app.renew())).toBeUndefined();
    expect(await certificatesOf(place.app, fqdn)).toHaveLength(2);
  });
});
