import type { Fqdn, Provider } from '@certloop/contracts';
import { until } from '@certloop/contracts/testing';
import { describeEachDialect } from '@certloop/db/testing';
import { stretchExcess } from '@certloop/server/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { findOpenJob } from '../../src/issuance/jobs/issuance-jobs.repository.js';
import { findIssuance, issuances, listRunning } from '../../src/issuance/signing/issuances.repository.js';
import { startAppOn, type TestApp } from '../support/app.js';
import {
  beginHeld,
  callSign,
  countAsked,
  letGo,
  signEntries,
  startTwoProcesses,
  type TwoProcesses,
  untilWaiting,
} from '../support/cas/concurrent-signing.js';
import { grant } from '../support/factories.js';
import { addJob } from '../support/issuance.js';
import { plansOf, seedIssuances } from '../support/large-place.js';
import { certificatesOf, clearInventory } from '../support/renewals.js';
import { configure, createProvider, fqdnWithCsr } from '../support/signing.js';

const [here, elsewhere] = [300, 100];
const rows = 100_000;

describeEachDialect('very many calls of csr/sign for one FQDN', (open, dialect) => {
  let place: TwoProcesses;
  let other: TestApp;
  let further: Provider;
  beforeAll(async () => {
    place = await startTwoProcesses(open);
    ({ other } = place);
    // longer than hundreds of calls take to begin on a busy machine
    const config = { baseUrl: place.ca.url, validityDays: 30, timeoutMs: 60_000 };
    await configure(place.app, { id: place.providerId }, config).expect(200);
    further = await createProvider(place.app, { kind: 'dummy-ca', name: 'further', config });
  });
  afterEach(async () => {
    await letGo(place.ca);
    await clearInventory(place.app);
  });
  afterAll(() => place.close());

  const callOf = (fqdn: Fqdn, app: TestApp = place.app) => ({ app, fqdn, providerId: place.providerId });
  const callsOf = (count: number, call: () => ReturnType<typeof callSign>) =>
    Array.from({ length: count }, call);

  /** Gives an FQDN very many requests that have ended. */
  async function seedEnded(): Promise<{ readonly fqdn: Fqdn; readonly id: string }> {
    const { app, providerId } = place;
    const finishedAt = app.clock.now();
    const { job, fqdn } = await addJob(app, { state: 'failed', providerId, finishedAt });
    await seedIssuances(app.database, job.id, { count: rows, idsFrom: '0000000a', hasOwnFqdn: false });
    return { fqdn, id: job.id };
  }

  test('get one certificate in two processes, in short turns, and an audit entry each', async () => {
    const { app, ca } = place;
    let fqdn: Fqdn;
    const prepare = async () => {
      ({ fqdn } = await fqdnWithCsr(app));
    };
    const work = async () => {
      const before = countAsked(ca);
      const first = await beginHeld(ca, callOf(fqdn));
      const others = [
        ...callsOf(here, () => callSign(callOf(fqdn))),
        ...callsOf(elsewhere, () => callSign(callOf(fqdn, other))),
      ];
      await untilWaiting([app, other], fqdn, here + elsewhere);
      await letGo(ca);
      const responses = await Promise.all([first.response, ...others]);
      const [certificate, ...more] = await certificatesOf(app, fqdn);
      expect([countAsked(ca) - before, more]).toEqual([1, []]);
      const got = responses.map(({ status, body }) => [status, body.success, body.certificate]);
      expect(got).toEqual(responses.map(() => [200, true, certificate?.pem]));
      const entries = await signEntries(app, fqdn);
      expect(entries).toHaveLength(1 + here + elsewhere);
      const joined = entries.flatMap(({ details }) => details['joined'] ?? []);
      expect([joined.length, new Set(joined).size]).toEqual([here + elsewhere, 1]);
    };
    expect(await stretchExcess(50, work, prepare)).toBeUndefined();
  });

  test('for another provider wait, and then get one more certificate together', async () => {
    const { app, ca } = place;
    const { fqdn } = await fqdnWithCsr(app);
    const before = countAsked(ca);
    const first = await beginHeld(ca, callOf(fqdn));
    const others = callsOf(elsewhere, () => callSign({ ...callOf(fqdn), providerId: further.id }));
    await untilWaiting([app], fqdn, elsewhere);
    await letGo(ca);
    ca.answer('when let go');
    // all but the one that begins
    await untilWaiting([app], fqdn, 2 * elsewhere - 1);
    await letGo(ca);
    const responses = await Promise.all(others);
    const pems = (await certificatesOf(app, fqdn)).map(({ pem }) => pem);
    expect([countAsked(ca) - before, pems.length]).toEqual([2, 2]);
    expect((await first.response).body.certificate).toBe(pems[0]);
    expect(new Set(responses.map(({ body }) => body.certificate))).toEqual(new Set([pems[1]]));
  });

  test('are answered at their limits, although a silent process is replaced only when there is room', async () => {
    const { app, ca, providerId } = place;
    const issued = ca.ids.length;
    ca.answer('when let go');
    // as many as a process works on at once
    for (let n = 0; n < 32; n += 1) await addJob(app, { state: 'queued', providerId });
    await app.takeUpJobs();
    const { fqdn } = await fqdnWithCsr(app);
    const first = await beginHeld(ca, callOf(fqdn, other));
    const calls = callsOf(20, () => callSign({ ...callOf(fqdn), waitSeconds: 2 }));
    await untilWaiting([app], fqdn, 20);
    // its lease
    app.clock.advance(60_000);
    const replies = await Promise.all(calls);
    expect(replies.map(({ status, body }) => [status, body.success])).toEqual(calls.map(() => [200, false]));
    await letGo(ca);
    await first.response;
    await until(
      async () => (await app.database.read((tx) => tx.countBy(issuances, { state: 'issued' }))) === 32,
    );
    await until(async () => (await certificatesOf(app, fqdn)).length === 1);
    expect(ca.ids.length - issued).toBe(33);
    await app.database.transaction((tx) => tx.clear(issuances));
  });

  test('cost no more if the FQDN has 100,000 requests that ended', async () => {
    const { app, ca } = place;
    const { fqdn, id } = await seedEnded();
    const plans = await plansOf(app.database, async (tx) => {
      await findIssuance(tx, id);
      await listRunning(tx, [fqdn.id]);
      await findOpenJob(tx, fqdn.id);
    });
    const keys =
      dialect === 'sqlite'
        ? [/sqlite_autoindex_issuances_1 \(id=\?\)/, /uq_issuances_running/, /uq_issuances_open_order/]
        : [/pk_issuances/, /uq_issuances_running/, /uq_issuances_open_order/];
    for (const [index, key] of keys.entries()) expect(plans[index]).toMatch(key);
    const work = async () => {
      const first = await beginHeld(ca, callOf(fqdn));
      const others = callsOf(20, () => callSign(callOf(fqdn, other)));
      await untilWaiting([other], fqdn, 20);
      await letGo(ca);
      for (const { body } of await Promise.all([first.response, ...others])) expect(body.success).toBe(true);
    };
    expect(await stretchExcess(50, work)).toBeUndefined();
    await app.database.longTransaction((tx) => tx.clear(issuances));
  });

  test('of one user are as many as the operator permits', async () => {
    const { app, ca, environment } = place;
    const { ben } = app.people;
    const permitted = 20;
    const limits = { CERT_MANAGER_REQUESTS_PER_MINUTE: String(permitted) };
    const limited = await startAppOn(app.database, {
      beside: app,
      environment: { ...environment, ...limits },
    });
    const { fqdn } = await fqdnWithCsr(app);
    await grant(app, ben, 'READ_WRITE', [fqdn.spaceId]);
    const first = await beginHeld(ca, callOf(fqdn));
    const calls = callsOf(elsewhere, () => callSign({ ...callOf(fqdn, limited), person: ben }));
    await untilWaiting([limited], fqdn, permitted);
    await limited.request.get('/spaces').set(app.people.ada.auth).expect(200);
    await letGo(ca);
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(permitted);
    expect(statuses.filter((status) => status === 429)).toHaveLength(elsewhere - permitted);
    expect((await first.response).body.success).toBe(true);
    await limited.close();
  });
});
