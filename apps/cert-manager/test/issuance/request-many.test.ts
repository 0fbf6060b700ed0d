import { randomUUID } from 'node:crypto';
import type { Fqdn } from '@certloop/contracts';
import { insertMany } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { csrs } from '../../src/csrs/csrs.repository.js';
import { fqdns } from '../../src/fqdns/fqdns.repository.js';
import { issuanceJobs } from '../../src/issuance/jobs/issuance-jobs.repository.js';
import { spaces } from '../../src/spaces/spaces.repository.js';
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

  /** FQDNs with the CSR, each in a space of its own. All but the first are copies: only the requests are many. */
  async function fqdnsWithCsr(count: number): Promise<Fqdn[]> {
    const { id: spaceId } = await addSpace(app);
    const first = await addFqdn(app, spaceId, 'www.example.org');
    const { id: csrId } = await addCsr(app, first, csrPem);
    const copies = Array.from({ length: count - 1 }, () => {
      return { ...first, id: randomUUID(), spaceId: randomUUID() };
    });
    await app.database.transaction(async (tx) => {
      const space = await tx.findOneByOrFail(spaces, { id: spaceId });
      const fqdn = await tx.findOneByOrFail(fqdns, { id: first.id });
      const csr = await tx.findOneByOrFail(csrs, { id: csrId });
      await insertMany(
        tx,
        spaces,
        copies.map((copy) => ({ ...space, id: copy.spaceId })),
      );
      await insertMany(
        tx,
        fqdns,
        copies.map(({ id, spaceId: inSpace }) => ({ ...fqdn, id, spaceId: inSpace })),
      );
      await insertMany(
        tx,
        csrs,
        copies.map(({ id }) => ({ ...csr, id: randomUUID(), fqdnId: id })),
      );
    });
    return [first, ...copies];
  }

  const request = (fqdn: Fqdn, on: TestApp = app) =>
    on.request
      .post(`${pathOf(fqdn, 'request-certificate')}?wait=0`)
      .set(app.people.ada.auth)
      .send({})
      .expect(200);
  const isRunning = async () =>
    (await app.database.read((tx) => tx.countBy(issuanceJobs, { status: 'running' }))) > 0;
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
    for (let look = 1; look <= 500 && (await isRunning()); look += 1) {
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
    for (let left = 600; left > 0 && (await isRunning()); left -= 1) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect((await statuses()).filter((end) => end !== 'completed')).toEqual([]);
    expect(ca.csrs).toHaveLength(60);
  });
});
