import type { Fqdn } from '@certloop/contracts';
import { insertMany, newRowId, openDatabase } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { certificates } from '../../src/certificates/certificates.repository.js';
import { createEmit } from '../../src/changes/reactions.service.js';
import { csrs, findLatestCsr } from '../../src/csrs/csrs.repository.js';
import { schema } from '../../src/database.js';
import { fqdns } from '../../src/fqdns/fqdns.repository.js';
import type { RunReport } from '../../src/renewals/heartbeat/run-report.js';
import type { RenewalStep } from '../../src/renewals/queue/renew-certificate.service.js';
import { sweepRenewals } from '../../src/renewals/queue/sweep-renewals.service.js';
import { startAppOn, type TestApp } from '../support/app.js';
import {
  addTestRenewal,
  certificatesOf,
  clearInventory,
  entriesOf,
  moveToRenewal,
  openEntryOf,
  queueOf,
  renewedFqdn,
  type SuitePlace,
  startRenewing,
  storedRenewals,
} from '../support/renewals.js';

// so that no run in it ends early on a busy machine
const budgetMs = 600_000;

const day = 86_400_000;

describeEachDialect('several processes on one database', (open) => {
  let place: SuitePlace;
  let others: TestApp[];
  let closeOthers: () => Promise<void>;
  /** Steps of all of them, in their order. */
  const steps: RenewalStep[] = [];

  beforeAll(async () => {
    const atStep = async (step: RenewalStep) => void steps.push(step);
    place = await startRenewing(open, { renewals: { concurrency: 4, budgetMs, atStep } });
    const url = place.app.databaseUrl;
    const databases = await Promise.all([1, 2].map(() => openDatabase({ url, schema })));
    others = await Promise.all(
      databases.map((database) =>
        startAppOn(database, {
          beside: place.app,
          environment: { DUMMY_CA_URL: place.ca.url },
          renewals: { concurrency: 4, budgetMs, atStep },
        }),
      ),
    );
    closeOthers = async () => {
      for (const app of others) await app.close();
      for (const database of databases) await database.close();
    };
  });
  afterEach(async () => {
    place.ca.answer('normally');
    await clearInventory(place.app);
  });
  afterAll(async () => {
    await closeOthers();
    await place.close();
  });

  const signatures = () => place.ca.paths.filter((path) => path === '/csr').length;
  const sum = (reports: readonly RunReport[], of: 'renewed' | 'broken' | 'lapsed') =>
    reports.reduce((total, report) => total + report[of], 0);

  /** FQDNs like the one given, with its CSR and its certificate. */
  async function multiply(fqdn: Fqdn, count: number): Promise<string[]> {
    const { database, clock } = place.app;
    const now = clock.now();
    const ids = Array.from({ length: count }, () => newRowId(now));
    await database.transaction(async (tx) => {
      const csr = await findLatestCsr(tx, fqdn.id);
      const row = await tx.findOneByOrFail(fqdns, { id: fqdn.id });
      const certificate = await tx.findOneByOrFail(certificates, { fqdnId: fqdn.id });
      if (csr === undefined) throw new Error('there is a CSR');
      const csrIds = ids.map(() => newRowId(now));
      await insertMany(
        tx,
        fqdns,
        ids.map((id, index) => ({ ...row, id, fqdn: `h${index}.example.org` })),
      );
      await insertMany(
        tx,
        csrs,
        ids.map((fqdnId, index) => ({ ...csr, id: csrIds[index] ?? '', fqdnId })),
      );
      await insertMany(
        tx,
        certificates,
        ids.map((fqdnId, index) => ({
          ...certificate,
          id: newRowId(now),
          fqdnId,
          csrId: csrIds[index] ?? null,
        })),
      );
    });
    return ids;
  }

  test('renew 300 certificates, each once', async () => {
    const { app } = place;
    const { database, clock } = app;
    const ids = await multiply(await renewedFqdn(place), 299);
    const logger = { info: () => undefined } as never;
    await sweepRenewals({
      db: database,
      clock,
      logger,
      emit: createEmit({ clock, notices: undefined, watch: undefined }),
    });
    expect(await queueOf(app, { status: 'pending' })).toHaveLength(300);

    clock.advance(25 * day);
    const before = signatures();
    const reports = await Promise.all([app, ...others].map((one) => one.renew()));
    expect(sum(reports, 'renewed')).toBe(300);
    expect([sum(reports, 'broken'), sum(reports, 'lapsed')]).toEqual([0, 0]);
    // every one had its part
    expect(Math.min(...reports.map(({ renewed }) => renewed))).toBeGreaterThan(0);
    expect(signatures() - before).toBe(300);
    const stored = await database.read((tx) => tx.find(certificates, { select: { id: true, fqdnId: true } }));
    expect(stored.filter(({ fqdnId }) => ids.includes(fqdnId))).toHaveLength(598);
    expect(await queueOf(app, { status: 'completed' })).toHaveLength(300);
    expect(await queueOf(app, { status: 'pending' })).toHaveLength(300);
  });

  test('renew one FQDN sequentially, however many entries it has', async () => {
    const { app } = place;
    const fqdn = await renewedFqdn(place);
    // the planned one is not due: whichever test came before it would plan it again
    for (let count = 0; count < 6; count += 1) await addTestRenewal(app, fqdn);
    steps.length = 0;
    while ((await entriesOf(app, fqdn)).some(({ status, scheduledAt }) => isDue(status, scheduledAt))) {
      await Promise.all([app, ...others].map((one) => one.renew()));
    }
    expect(await certificatesOf(app, fqdn)).toHaveLength(7);
    const begun = steps.filter((step) => step === 'claimed' || step === 'answered');
    expect(begun).toEqual([1, 2, 3, 4, 5, 6].flatMap(() => ['claimed', 'answered']));
    expect((await openEntryOf(app, fqdn)).attempt).toBe(1);
  });

  function isDue(status: string, scheduledAt: string): boolean {
    return (
      status === 'processing' ||
      (status === 'pending' && Date.parse(scheduledAt) <= place.app.clock.now().getTime())
    );
  }

  test('ignore the result of a worker whose lease expired', async () => {
    const { app, ca } = place;
    const [other] = others;
    const fqdn = await renewedFqdn(place);
    await moveToRenewal(app, fqdn);
    ca.answer('when let go');
    const before = signatures();
    const late = app.renew();
    while (signatures() === before) await new Promise((resolve) => setImmediate(resolve));
    app.clock.advance(119_999);
    expect(await other?.renew()).toMatchObject({ lapsed: 0, renewed: 0 });
    app.clock.advance(1);
    ca.answer('normally');
    expect(await other?.renew()).toMatchObject({ lapsed: 1, renewed: 1 });
    expect(await ca.letGoUntil(late)).toMatchObject({ renewed: 0, failed: [], broken: 0 });
    expect(await certificatesOf(app, fqdn)).toHaveLength(2);
    const entries = await entriesOf(app, fqdn);
    expect(entries.map(({ status, attempt }) => [status, attempt])).toEqual([
      ['completed', 2],
      ['pending', 1],
    ]);
  });
});

describeEachDialect('a slow worker', (open) => {
  let place: SuitePlace;
  beforeAll(async () => {
    place = await startRenewing(open, { renewals: { leaseMs: 60, budgetMs: 1 } });
  });
  afterAll(() => place.close());

  test('keeps its lease, and its result is in the report of a later run', async () => {
    const { app, ca } = place;
    const fqdn = await renewedFqdn(place);
    await moveToRenewal(app, fqdn);
    ca.answer('when let go');
    expect(await app.renew()).toMatchObject({ renewed: 0, isDone: false });
    for (let hour = 0; hour < 3; hour += 1) {
      app.clock.advance(3_600_000);
      const now = app.clock.now();
      let [row] = await storedRenewals(app.database, fqdn.id);
      while (row?.leaseUntil == null || row.leaseUntil <= now) {
        await new Promise((resolve) => setImmediate(resolve));
        [row] = await storedRenewals(app.database, fqdn.id);
      }
      expect(row).toMatchObject({ status: 'processing', attempt: 1 });
      expect(await app.renew()).toMatchObject({ lapsed: 0, renewed: 0, isDone: false });
    }
    let report = await app.renew();
    while (report.renewed === 0) {
      ca.release();
      report = await app.renew();
    }
    expect(report).toMatchObject({ renewed: 1, lapsed: 0, broken: 0 });
    expect(await certificatesOf(app, fqdn)).toHaveLength(2);
  });
});
