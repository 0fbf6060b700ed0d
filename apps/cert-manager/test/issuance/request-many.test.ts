import type { Fqdn } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { issuanceJobs } from '../../src/issuance/jobs/issuance-jobs.repository.js';
import { orderingByHttp, type ScriptedAcme, startScriptedAcme } from '../support/acme/scripted-acme.js';
import { startApp, startAppOn, type TestApp } from '../support/app.js';
import { addCsr, addFqdn, addSpace, pathOf } from '../support/inventory.js';
import { configure, newCsr, providerOf } from '../support/signing.js';

// a thousand orders share the cores with the test files beside; how long they take is measured by the bench
jest.setTimeout(180_000);

const environmentOf = (ca: ScriptedAcme) => ({
  ENCRYPTION_KEYS: `one:${Buffer.alloc(32, 7).toString('base64')}`,
  ACME_DIRECTORY_URL: ca.directoryUrl,
});

describeEachDialect('requests for certificates, many at once', (open) => {
  let app: TestApp;
  let ca: ScriptedAcme;
  let csrPem: string;
  beforeAll(async () => {
    ca = await startScriptedAcme(() => app.clock);
    const orders = { pause: async () => undefined, leaseMs: 6000 };
    app = await startApp(open, { environment: environmentOf(ca), orders });
    csrPem = await newCsr('www.example.org');
  });
  afterAll(async () => {
    await app.close();
    await ca.close();
  });

  const configureAcme = async (more: object) =>
    configure(app, await providerOf(app, 'acme'), { ...orderingByHttp(ca), ...more }).expect(200);

  async function fqdnsWithCsr(count: number): Promise<Fqdn[]> {
    return Promise.all(
      Array.from({ length: count }, async () => {
        const other = await addSpace(app);
        const fqdn = await addFqdn(app, other.id, 'www.example.org');
        await addCsr(app, fqdn, csrPem);
        return fqdn;
      }),
    );
  }

  const request = (fqdn: Fqdn, on: TestApp = app) =>
    on.request
      .post(`${pathOf(fqdn, 'request-certificate')}?wait=0`)
      .set(app.people.ada.auth)
      .send({})
      .expect(200);
  const statuses = async () => {
    const jobs = await app.database.read((tx) => tx.find(issuanceJobs));
    return jobs.map(({ status, message }) => (status === 'failed' ? message : status));
  };

  test('all end well, however long they wait for each other', async () => {
    // each waits for longer than the CA may take for one answer, and than a lease lasts
    await configureAcme({ timeouts: { requestMs: 2000 }, limits: { maxConcurrency: 24 } });
    ca.orderMs = 200;
    const made = await fqdnsWithCsr(1000);
    await Promise.all(made.map((fqdn) => request(fqdn)));
    for (let look = 1; look <= 200 && (await statuses()).includes('running'); look += 1) {
      await new Promise((resolve) => setTimeout(resolve, 300));
      if (look % 10 !== 0) continue;
      // a process that finds a lapsed lease would take the job up
      app.clock.advance(4000);
      await app.takeUpJobs();
    }
    expect(app.logged().filter(({ event }) => event === 'issuance.taken_up')).toEqual([]);
    const ends = await statuses();
    expect(ends.filter((end) => end !== 'completed')).toEqual([]);
    expect(ends).toHaveLength(1000);
    expect(ca.orders).toHaveLength(1000);
    expect(ca.csrs).toHaveLength(1000);
  });

  test('that wait when the process stops are left to the next one', async () => {
    ca.forget();
    ca.orderMs = 200;
    const other = await startAppOn(app.database, { environment: environmentOf(ca), beside: app });
    const made = await fqdnsWithCsr(60);
    await Promise.all(made.map((fqdn) => request(fqdn, other)));
    await other.close();
    ca.orderMs = 0;
    await app.takeUpJobs();
    for (let left = 300; left > 0 && (await statuses()).includes('running'); left -= 1) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect((await statuses()).filter((end) => end !== 'completed')).toEqual([]);
    expect(ca.csrs).toHaveLength(60);
  });
});
