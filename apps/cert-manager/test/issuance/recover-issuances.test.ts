import { randomUUID } from 'node:crypto';
import type { Csr, Fqdn } from '@certloop/contracts';
import { executeSql, insertMany } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { builtInCaller, internalOrigin } from '../../src/access/caller.js';
import { listDueIssuances } from '../../src/issuance/jobs/due-issuances.repository.js';
import {
  claimIssuance,
  deleteOldJobs,
  findOpenJob,
} from '../../src/issuance/jobs/issuance-jobs.repository.js';
import { directIssuance } from '../../src/issuance/signing/begin-signing.service.js';
import {
  deleteIssuances,
  endLapsedTries,
  hasIssuanceWithOrder,
  type IssuanceRow,
  insertRunning,
  issuances,
  listRunning,
  takeOrderLeft,
} from '../../src/issuance/signing/issuances.repository.js';
import { listDueRenewals } from '../../src/renewals/queue/due-renewals.repository.js';
import {
  beginHeld,
  countAsked,
  letGo,
  startTwoProcesses,
  type TwoProcesses,
} from '../support/cas/concurrent-signing.js';
import { beginLife, deathOf } from '../support/dying-process.js';
import { auditEntries, pathOf } from '../support/inventory.js';
import { plansOf } from '../support/large-place.js';
import { certificatesOf, clearInventory, type SuitePlace, startRenewing } from '../support/renewals.js';
import { configure, countOpenRequests, fqdnWithCsr } from '../support/signing.js';

const minute = 60_000;

describeEachDialect('a request to a CA whose process is gone', (open) => {
  let place: TwoProcesses;
  beforeAll(async () => {
    place = await startTwoProcesses(open);
    const { app, ca, providerId: id } = place;
    // longer than another process takes to start on a busy machine
    await configure(app, { id }, { baseUrl: ca.url, validityDays: 30, timeoutMs: 60_000 }).expect(200);
  });
  afterEach(async () => {
    await letGo(place.ca);
    await clearInventory(place.app);
  });
  afterAll(() => place.close());

  const failuresOf = async ({ id }: Fqdn) =>
    (await auditEntries(place.app, 'certificate.issue')).filter(({ resourceId }) => resourceId === id);

  /** A call of csr/sign that a process has left. */
  const leaveRunning = async ({ id: fqdnId, spaceId, fqdn }: Fqdn, { id: csrId }: Csr) => {
    const { database, clock } = place.app;
    const row = {
      ...directIssuance,
      id: randomUUID(),
      ...{ fqdnId, spaceId, fqdn, csrId },
      spkiSha256: '00'.repeat(32),
      providerId: place.providerId,
      idempotencyKey: `key-of-${fqdnId}`,
      caller: builtInCaller('cli', internalOrigin('before')),
      leaseUntil: new Date(clock.now().getTime() + 3 * minute),
      createdAt: clock.now(),
    };
    await database.transaction((tx) => insertRunning(tx, [row]));
  };

  test('is asked again after 1, 2 and 4 min while the CA is down, and given up after a day with an audit entry', async () => {
    const { app, ca } = place;
    const { fqdn, csr } = await fqdnWithCsr(app);
    await leaveRunning(fqdn, csr);
    app.clock.advance(3 * minute);
    ca.answer('with a fault');
    await app.recoverSigning();
    const before = countAsked(ca);
    const asks: number[] = [];
    for (const minutes of [1, 1, 1, 1, 1, 1, 1]) {
      app.clock.advance(minutes * minute);
      await app.recoverSigning();
      asks.push(countAsked(ca) - before);
    }
    expect(asks).toEqual([1, 1, 2, 2, 2, 2, 3]);
    app.clock.advance(24 * 60 * minute);
    await app.recoverSigning();
    expect(countAsked(ca) - before).toBe(3);
    expect(await countOpenRequests(app)).toBe(0);
    expect(await failuresOf(fqdn)).toMatchObject([
      { outcome: 'failure', details: { reason: expect.stringContaining('no certificate for a day') } },
    ]);
  });

  test('gets one certificate if a process whose clock is ahead takes it over too early', async () => {
    const { app, ca, providerId } = place;
    const { fqdn } = await fqdnWithCsr(app);
    const [before, asked] = [ca.ids.length, countAsked(ca)];
    const first = await beginHeld(ca, { app, fqdn, providerId });
    const work = { path: pathOf(fqdn, 'csr/sign'), auth: app.people.ada.auth, body: { providerId } };
    const now = new Date(app.clock.now().getTime() + 10 * minute);
    const child = beginLife({ databaseUrl: app.databaseUrl, environment: place.environment, now, work });
    while (countAsked(ca) < asked + 2) await new Promise((resolve) => setTimeout(resolve, 10));
    await letGo(ca);
    expect((await first.response).body).toMatchObject({ success: true });
    while ((await countOpenRequests(app)) > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    child.kill('SIGKILL');
    await deathOf(child);
    expect(ca.ids.length - before).toBe(1);
    expect(await certificatesOf(app, fqdn)).toHaveLength(1);
  });
});

describeEachDialect('the table of issuances', (open, dialect) => {
  let place: SuitePlace;
  beforeAll(async () => {
    place = await startRenewing(open);
  });
  afterAll(() => place.close());

  const issuance = (change: Partial<IssuanceRow> = {}): IssuanceRow => {
    const now = place.app.clock.now();
    return {
      ...directIssuance,
      id: randomUUID(),
      fqdnId: randomUUID(),
      fqdn: 'www.example.org',
      spaceId: randomUUID(),
      csrId: randomUUID(),
      spkiSha256: '',
      providerId: place.providerId,
      idempotencyKey: 'key',
      caller: builtInCaller('cli', internalOrigin('')),
      leaseUntil: now,
      createdAt: now,
      ...change,
    };
  };

  test('has one running issuance for an FQDN; a second one does not hinder others', async () => {
    const { database } = place.app;
    const [one, another] = [issuance(), issuance()];
    const second = issuance({ fqdnId: one.fqdnId });
    const inserted = await database.transaction((tx) => insertRunning(tx, [one, second, another]));
    expect(inserted.size).toBe(2);
    expect(inserted.has(another.id)).toBe(true);
    await database.transaction((tx) => tx.clear(issuances));
  });

  test('lets a worker that lost its claim end nothing', async () => {
    const { database, clock } = place.app;
    const row = issuance();
    const later = new Date(clock.now().getTime() + minute);
    await database.transaction((tx) => insertRunning(tx, [row]));
    const claim = () => database.transaction((tx) => claimIssuance(tx, row.id, later, { leaseMs: minute }));
    expect(await claim()).toMatchObject({ issuance: { id: row.id, attempt: 2 }, isTakenOver: true });
    expect(await database.transaction((tx) => deleteIssuances(tx, [row]))).toBe(0);
    expect(await claim()).toBeUndefined();
    expect(await database.transaction((tx) => deleteIssuances(tx, [{ id: row.id, attempt: 2 }]))).toBe(1);
  });

  test('with 100,000 rows is read by its indexes', async () => {
    const { database, clock } = place.app;
    const states = issuance({
      state: 'unknown',
      leaseUntil: null,
      nextAt: new Date(clock.now().getTime() + minute),
    });
    await database.transaction((tx) => insertMany(tx, issuances, [states]));
    const names = Object.keys(issuances.columns).map((name) =>
      name.replace(/[A-Z]/g, (sign) => `_${sign.toLowerCase()}`),
    );
    const number = dialect === 'sqlite' ? "printf('%012d', n)" : "lpad(n::text, 12, '0')";
    const uuid = `'00000000-0000-4000-8000-' || ${number}`;
    const own = dialect === 'sqlite' ? uuid : `(${uuid})::uuid`;
    const made = names.map((name) => {
      if (name === 'is_order') return 'n % 2 = 0';
      return name === 'id' || name === 'fqdn_id' ? own : name;
    });
    await database.longTransaction(async (tx) => {
      const numbers =
        'with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 100000)';
      await executeSql(
        tx,
        `${numbers} insert into issuances (${names.join(', ')}) select ${made.join(', ')} from issuances, numbers`,
      );
      await executeSql(tx, 'analyze');
    });
    const plans = await plansOf(database, async (tx) => {
      await listRunning(tx, [randomUUID(), randomUUID()]);
      const { providerId } = place;
      await listDueRenewals(tx, { providerId, now: clock.now(), limit: 1, byExpiry: false });
      await listDueIssuances(tx, clock.now(), { except: [randomUUID()], limit: 64 });
      await findOpenJob(tx, randomUUID());
      await takeOrderLeft(tx, { fqdnId: randomUUID(), csrId: randomUUID(), providerId: randomUUID() });
      await endLapsedTries(tx, clock.now());
      await hasIssuanceWithOrder(tx, 'https://ca/order/1', randomUUID());
      await deleteOldJobs(tx, new Date(0));
    });
    expect(plans).toHaveLength(9);
    for (const plan of plans)
      expect(plan).not.toMatch(/Seq Scan on issuances|SCAN issuances(?! USING INDEX uq_issuances_running)/);
    await database.longTransaction((tx) => tx.clear(issuances));
  });
});
