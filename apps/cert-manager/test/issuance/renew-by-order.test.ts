import type { Fqdn } from '@certloop/contracts';
import { until } from '@certloop/contracts/testing';
import { executeSql, insertMany } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type OrderMoment, orderMoments } from '../../src/acme/orders/order-steps.js';
import { issuances } from '../../src/issuance/signing/issuances.repository.js';
import type { RunReport } from '../../src/renewals/heartbeat/run-report.js';
import { type RenewalRow, renewalQueue, updateRenewal } from '../../src/renewals/renewals.repository.js';
import { type OrderingPlace, startOrdering } from '../support/acme/ordering-place.js';
import { orderingByHttp, type ScriptedAcme } from '../support/acme/scripted-acme.js';
import { callSign, signEntries, untilWaiting } from '../support/cas/concurrent-signing.js';
import { beginLife, deathOf } from '../support/dying-process.js';
import { addCsr, auditEntries, pathOf } from '../support/inventory.js';
import {
  certificatesOf,
  clearInventory,
  entriesOf,
  moveToRenewal,
  openEntryOf,
  switchRenewal,
} from '../support/renewals.js';
import { configure, enable, fqdnWithCsr, newCsr, providerOf } from '../support/signing.js';

const minute = 60_000;

describeEachDialect('a renewal by an ACME order', (open) => {
  let place: OrderingPlace;
  let acme: ScriptedAcme;
  let acmeId: string;
  let environment: Readonly<Record<string, string>>;
  const held: (() => void)[] = [];
  let atMoment: ((moment: OrderMoment) => Promise<void>) | undefined;
  beforeAll(async () => {
    const orders = { atMoment: async (moment: OrderMoment) => void (await atMoment?.(moment)) };
    place = await startOrdering(open, { orders });
    ({ acme, acmeId, environment } = place);
  });
  beforeEach(async () => {
    // the CA numbers its orders from one again, which no request may hold
    await place.app.database.transaction((tx) => executeSql(tx, 'delete from issuances'));
    acme.forget();
    atMoment = undefined;
  });
  afterEach(async () => {
    // also those of a test that failed, since the application waits for them when it is closed
    for (const release of held.splice(0)) release();
    await clearInventory(place.app);
  });
  afterAll(() => place.close());

  const byOrder = (fqdn: Fqdn) => ({ app: place.app, fqdn, providerId: acmeId });
  const pemsOf = async (fqdn: Fqdn) => (await certificatesOf(place.app, fqdn)).map(({ pem }) => pem);
  const stored = ({ id: fqdnId }: Fqdn) =>
    place.app.database.read((tx) => tx.find(issuances, { where: { fqdnId }, order: { createdAt: 'ASC' } }));
  const request = (fqdn: Fqdn, wait = 20) =>
    place.app.request
      .post(`${pathOf(fqdn, 'request-certificate')}?wait=${wait}`)
      .set(place.app.people.ada.auth)
      .send({ confirmed: true });

  /** An FQDN with a certificate by the CA, which is due for renewal; the CA has forgotten its order. */
  async function dueFqdn(): Promise<Fqdn> {
    const { fqdn } = await fqdnWithCsr(place.app);
    expect((await callSign(byOrder(fqdn))).body.success).toBe(true);
    await switchRenewal(place.app, fqdn, true);
    await moveToRenewal(place.app, fqdn);
    await place.app.database.transaction((tx) => executeSql(tx, 'delete from issuances'));
    acme.forget();
    return fqdn;
  }

  /** Renews what is due, until the order is placed, or until it is let go. */
  async function beginRenewal(): Promise<{ readonly run: Promise<RunReport>; readonly go: () => void }> {
    let go = () => {};
    const released = new Promise<void>((resolve) => {
      go = resolve;
    });
    held.push(go);
    let isHeld = false;
    atMoment = async (moment) => {
      if (moment !== 'order_stored') return;
      atMoment = undefined;
      isHeld = true;
      await released;
    };
    const run = place.app.renew();
    await until(() => isHeld);
    return { run, go };
  }

  /** A due renewal that failed after its CSR was sent. */
  async function failedRenewal(): Promise<Fqdn> {
    const fqdn = await dueFqdn();
    acme.script('certificate', { status: 503 });
    expect(await place.app.renew()).toMatchObject({ renewed: 0, failed: [{ fqdn: fqdn.fqdn }] });
    return fqdn;
  }

  /** Expects that the open entry renews the newest of so many certificates, in its first try. */
  async function expectPlanned(fqdn: Fqdn, certificates: number): Promise<void> {
    const all = await certificatesOf(place.app, fqdn);
    expect(all).toHaveLength(certificates);
    const planned = { status: 'pending', attempt: 1, certificateId: all.at(-1)?.id };
    expect(await openEntryOf(place.app, fqdn)).toMatchObject(planned);
  }

  test('is the running request of its FQDN, and leaves none', async () => {
    const fqdn = await dueFqdn();
    const { run, go } = await beginRenewal();
    expect(await stored(fqdn)).toMatchObject([
      { cause: 'renewal', isOrder: true, state: 'running', orderUrl: expect.stringMatching(/^http/) },
    ]);
    const path = `/issuance-jobs?fqdnId=${fqdn.id}`;
    const jobs = await place.app.request.get(path).set(place.app.people.ada.auth).expect(200);
    expect(jobs.body).toEqual([]);
    go();
    expect(await run).toMatchObject({ renewed: 1, failed: [], broken: 0 });
    expect(await stored(fqdn)).toEqual([]);
    await expectPlanned(fqdn, 2);
  });

  describe('that runs', () => {
    test('shares its certificate with a request', async () => {
      const fqdn = await dueFqdn();
      const { run, go } = await beginRenewal();
      const reply = request(fqdn).then((response) => response);
      await until(async () => (await stored(fqdn)).some(({ state }) => state === 'queued'));
      go();
      expect(await run).toMatchObject({ renewed: 1 });
      const pems = await pemsOf(fqdn);
      expect((await reply).body).toMatchObject({ success: true, certificate: { pem: pems[1] } });
      expect([acme.orders.length, acme.csrs.length, pems.length]).toEqual([1, 1, 2]);
      await expectPlanned(fqdn, 2);
      const entries = (await auditEntries(place.app, 'certificate.replace')).filter(
        ({ details }) => details['fqdnId'] === fqdn.id,
      );
      const [, certificate] = await certificatesOf(place.app, fqdn);
      expect(entries).toMatchObject([
        { resourceId: certificate?.id, details: { joined: certificate?.id, actor: { kind: 'token' } } },
      ]);
    });

    test('shares its certificate with a call of csr/sign by the same CA', async () => {
      const fqdn = await dueFqdn();
      const { run, go } = await beginRenewal();
      const reply = callSign(byOrder(fqdn));
      await until(async () => (await stored(fqdn)).some(({ state }) => state === 'queued'));
      go();
      await run;
      const pems = await pemsOf(fqdn);
      expect((await reply).body).toMatchObject({ success: true, certificate: pems[1] });
      expect([acme.csrs.length, pems.length]).toEqual([1, 2]);
      expect((await signEntries(place.app, fqdn)).at(-1)?.details['joined']).toEqual(expect.any(String));
    });

    test('is not shared with a request for a newer CSR', async () => {
      const fqdn = await dueFqdn();
      const { run, go } = await beginRenewal();
      await addCsr(place.app, fqdn, await newCsr(fqdn.fqdn));
      const reply = request(fqdn).then((response) => response);
      await until(async () => (await stored(fqdn)).some(({ state }) => state === 'queued'));
      go();
      await run;
      const { body } = await reply;
      const pems = await pemsOf(fqdn);
      expect(body).toMatchObject({ success: true, certificate: { pem: pems[2] } });
      expect([new Set(acme.csrs).size, pems.length]).toEqual([2, 3]);
    });

    test('ends before a call by a direct provider asks its CA', async () => {
      const fqdn = await dueFqdn();
      const { run, go } = await beginRenewal();
      const reply = callSign({ app: place.app, fqdn, providerId: place.providerId });
      await untilWaiting([place.app], fqdn, 1);
      go();
      await run;
      const pem = (await reply).body.certificate;
      const pems = await pemsOf(fqdn);
      expect([pems.length, pems[2]]).toEqual([3, pem]);
    });

    test('lets a request order itself if it fails', async () => {
      const fqdn = await dueFqdn();
      acme.script('finalize', { status: 403, problem: 'unauthorized' });
      const { run, go } = await beginRenewal();
      const reply = request(fqdn).then((response) => response);
      await until(async () => (await stored(fqdn)).some(({ state }) => state === 'queued'));
      go();
      expect(await run).toMatchObject({ renewed: 0, failed: [{}] });
      expect((await reply).body.success).toBe(true);
      await expectPlanned(fqdn, 2);
    });
  });

  test('begins after a request that is running, and plans anew', async () => {
    const fqdn = await dueFqdn();
    let go = () => {};
    const released = new Promise<void>((resolve) => {
      go = resolve;
    });
    held.push(go);
    let isHeld = false;
    atMoment = async () => {
      isHeld = true;
      await released;
    };
    const reply = request(fqdn).then((response) => response);
    await until(() => isHeld);
    expect(await place.app.renew()).toMatchObject({ renewed: 0, failed: [], broken: 0 });
    go();
    expect((await reply).body.success).toBe(true);
    expect(acme.csrs).toHaveLength(1);
    await expectPlanned(fqdn, 2);
  });

  test.each(['renewal', 'request'] as const)(
    'or a request sends no CSR to a CA that was disabled: %s',
    async (cause) => {
      const { app } = place;
      const fqdn = await dueFqdn();
      const provider = await providerOf(app, 'acme');
      atMoment = async (moment) => {
        if (moment === 'order_stored') await enable(app, provider, false).expect(200);
      };
      const reason = expect.stringContaining('provider is disabled');
      if (cause === 'renewal') expect(await app.renew()).toMatchObject({ renewed: 0, failed: [{ reason }] });
      else expect((await request(fqdn)).body).toMatchObject({ success: false, message: reason });
      await enable(app, provider).expect(200);
      expect([acme.orders.length, acme.csrs.length]).toEqual([1, 0]);
    },
  );

  describe('that failed after its CSR was sent', () => {
    test('is continued by its next try', async () => {
      const fqdn = await failedRenewal();
      const [left] = await stored(fqdn);
      expect(left).toMatchObject({ cause: 'renewal', state: 'failed', orderUrl: expect.any(String) });
      await moveToRenewal(place.app, fqdn);
      expect(await place.app.renew()).toMatchObject({ renewed: 1 });
      expect([acme.orders.length, acme.csrs.length]).toEqual([1, 1]);
      expect(await stored(fqdn)).toEqual([]);
      await expectPlanned(fqdn, 2);
    });

    test('is continued by a request, and by that only', async () => {
      const fqdn = await failedRenewal();
      const { scheduledAt } = await openEntryOf(place.app, fqdn);
      expect((await request(fqdn)).body.success).toBe(true);
      expect([acme.orders.length, acme.csrs.length]).toEqual([1, 1]);
      await expectPlanned(fqdn, 2);
      place.app.clock.set(new Date(scheduledAt));
      expect(await place.app.renew()).toMatchObject({ renewed: 0, failed: [], broken: 0 });
      expect([acme.orders.length, acme.csrs.length]).toEqual([1, 1]);
    });

    test('is continued by its next try, which leaves the order of a failed request to that', async () => {
      const { app } = place;
      const fqdn = await failedRenewal();
      const [row] = await stored(fqdn);
      if (row === undefined) throw new Error('it has left no order');
      const id = crypto.randomUUID();
      const orderState = { ...row.orderState, url: `${row.orderUrl}2` };
      const later = new Date(app.clock.now().getTime() + 1);
      const job = { ...row, id, cause: 'request', state: 'unknown', orderState, finishedAt: later } as const;
      const nextAt = new Date(later.getTime() + 60 * minute);
      await app.database.transaction((tx) => insertMany(tx, issuances, [{ ...job, nextAt }]));
      await moveToRenewal(app, fqdn);
      expect(await app.renew()).toMatchObject({ renewed: 1 });
      expect(acme.orders).toHaveLength(1);
      expect(await stored(fqdn)).toMatchObject([{ id, state: 'unknown', orderState }]);
    });

    test('is continued by a request although another one without an order has ended since', async () => {
      const { app } = place;
      const fqdn = await failedRenewal();
      const [row] = await stored(fqdn);
      if (row === undefined) throw new Error('it has left no order');
      const finishedAt = new Date(app.clock.now().getTime() + 1);
      const ended = {
        ...row,
        id: crypto.randomUUID(),
        cause: 'request',
        orderUrl: null,
        orderState: null,
      } as const;
      await app.database.transaction((tx) => insertMany(tx, issuances, [{ ...ended, finishedAt }]));
      expect((await request(fqdn)).body.success).toBe(true);
      expect([acme.orders.length, acme.csrs.length]).toEqual([1, 1]);
    });

    test('is not continued for a newer CSR, and the log names its certificate', async () => {
      const fqdn = await failedRenewal();
      await addCsr(place.app, fqdn, await newCsr(fqdn.fqdn));
      expect((await request(fqdn)).body.success).toBe(true);
      expect([acme.orders.length, new Set(acme.csrs).size]).toEqual([2, 2]);
    });

    /** Changes the entry that is to try again; returns its id. */
    const changeEntry = (fqdn: Fqdn, change: Partial<RenewalRow>) =>
      place.app.database.transaction(async (tx) => {
        const entry = await tx.findOneByOrFail(renewalQueue, { fqdnId: fqdn.id, status: 'pending' });
        expect(await updateRenewal(tx, entry, change)).toBe(true);
        return entry.id;
      });

    test('in a version before 0041-issuances, is that of any other after the migration', async () => {
      const { database } = place.app;
      const fqdn = await failedRenewal();
      const [row] = await stored(fqdn);
      const { csrId, providerId, orderState: order } = row ?? {};
      const id = await changeEntry(fqdn, {
        issuanceId: null,
        journal: { csrId, providerId, order } as object,
      });
      while ((await database.pendingMigrations()).at(0) !== '0041-issuances') await database.revertLast();
      await database.migrate();
      const left = { id, cause: 'renewal', state: 'failed', orderUrl: expect.any(String), steps: {} };
      expect(await stored(fqdn)).toMatchObject([{ ...left, caller: { kind: 'scheduler' } }]);
      expect((await request(fqdn)).body.success).toBe(true);
      expect([acme.orders.length, acme.csrs.length]).toEqual([1, 1]);
    });

    test('by a process of the version before, is continued', async () => {
      const fqdn = await failedRenewal();
      const [row] = await stored(fqdn);
      if (row === undefined) throw new Error('it has left no order');
      // only the entry names an order for a former CSR
      await addCsr(place.app, fqdn, await newCsr(fqdn.fqdn));
      await changeEntry(fqdn, { issuanceId: null, journal: { requestId: row.id } });
      await moveToRenewal(place.app, fqdn);
      expect(await place.app.renew()).toMatchObject({ renewed: 1 });
      expect([acme.orders.length, acme.csrs.length]).toEqual([1, 1]);
    });

    test('is asked for once more if its FQDN is deleted, and the log names its certificate', async () => {
      const fqdn = await failedRenewal();
      await clearInventory(place.app);
      expect(await stored(fqdn)).toMatchObject([{ state: 'unknown' }]);
      await place.app.takeUpJobs();
      await until(async () => (await stored(fqdn))[0]?.state === 'failed');
      const entries = (await auditEntries(place.app, 'certificate.issue')).filter(
        ({ details }) => details['fqdnId'] === fqdn.id && details['outcome'] === 'failure',
      );
      expect(entries).toMatchObject([{ details: { serial: expect.any(String) }, username: 'scheduler' }]);
      expect(acme.csrs).toHaveLength(1);
    });
  });

  test('that waits for a person is continued by a request, which waits for that person too', async () => {
    const { app } = place;
    const fqdn = await dueFqdn();
    const provider = await providerOf(app, 'acme');
    const ordering = orderingByHttp(acme);
    await configure(app, provider, { ...ordering, challenge: { type: 'manual' } }).expect(200);
    const report = await app.renew();
    await request(fqdn).expect(200);
    await configure(app, provider, ordering).expect(200);
    expect(report).toMatchObject({ renewed: 0, failed: [{}] });
    const jobs = await stored(fqdn);
    expect(jobs).toMatchObject([{ cause: 'request', state: 'waiting' }]);
    const path = `/issuance-jobs/${jobs[0]?.id}/continue`;
    await app.request.post(path).set(app.people.ada.auth).expect(200);
    await until(async () => (await stored(fqdn))[0]?.state === 'issued');
    expect([acme.orders.length, acme.csrs.length]).toEqual([1, 1]);
    await moveToRenewal(app, fqdn);
    expect(await app.renew()).toMatchObject({ failed: [], broken: 0 });
  });

  test('continues the order of a failed request', async () => {
    const fqdn = await dueFqdn();
    acme.script('certificate', { status: 503 });
    expect((await request(fqdn)).body.success).toBe(false);
    expect(await place.app.renew()).toMatchObject({ renewed: 1, failed: [] });
    expect([acme.orders.length, acme.csrs.length]).toEqual([1, 1]);
    place.app.clock.advance(60 * minute);
    await place.app.takeUpJobs();
    await expectPlanned(fqdn, 2);
  });

  test('places an order if that of a failed request has expired', async () => {
    const { app } = place;
    const fqdn = await dueFqdn();
    acme.script('order', { status: 503 }, { status: 503 }, { status: 503 });
    expect((await request(fqdn)).body.success).toBe(false);
    const [left] = await stored(fqdn);
    expect(left).toMatchObject({ state: 'failed', orderUrl: expect.any(String) });
    const identifiers = [{ type: 'dns', value: fqdn.fqdn }];
    const ended = { identifiers, authorizations: [], finalize: `${left?.orderUrl}/finalize` };
    const expires = new Date(app.clock.now().getTime() - minute).toISOString();
    acme.script('order', { status: 200, body: { ...ended, status: 'invalid', expires } });
    expect(await app.renew()).toMatchObject({ renewed: 1, failed: [] });
    expect([acme.orders.length, acme.csrs.length]).toEqual([2, 1]);
  });

  describe('whose process was killed', () => {
    const dieAt = async (deadly: OrderMoment): Promise<Fqdn> => {
      const fqdn = await dueFqdn();
      const { databaseUrl, clock } = place.app;
      const life = { databaseUrl, environment, now: clock.now(), work: 'renewals', deadly } as const;
      expect(await deathOf(beginLife(life))).toBe('SIGKILL');
      expect(await stored(fqdn)).toMatchObject(
        deadly === 'account_known' ? [{}] : [{ state: 'running', cause: 'renewal' }],
      );
      return fqdn;
    };

    test.each(orderMoments)(
      'after %s: a request waits for its lease, and continues its order',
      async (moment) => {
        const fqdn = await dieAt(moment);
        const { body } = await request(fqdn, 0).expect(200);
        expect(body.success).toBe(false);
        place.app.clock.advance(10 * minute);
        expect(await place.app.renew()).toMatchObject({ lapsed: 1, broken: 0 });
        await until(async () => (await stored(fqdn)).every(({ state }) => state === 'issued'));
        expect([acme.orders.length, acme.csrs.length]).toEqual([1, 1]);
        expect(await certificatesOf(place.app, fqdn)).toHaveLength(2);
        place.app.clock.advance(60 * minute);
        expect(await place.app.renew()).toMatchObject({ renewed: 0, failed: [], broken: 0 });
        await expectPlanned(fqdn, 2);
      },
    );

    test('and whose FQDN was deleted: the log names its certificate', async () => {
      const fqdn = await dieAt('finalized');
      await clearInventory(place.app);
      place.app.clock.advance(10 * minute);
      await place.app.renew();
      await place.app.takeUpJobs();
      await until(async () => (await stored(fqdn))[0]?.state === 'failed');
      const entries = (await auditEntries(place.app, 'certificate.issue')).filter(
        ({ details }) => details['fqdnId'] === fqdn.id && details['outcome'] === 'failure',
      );
      expect(entries).toHaveLength(1);
    });
  });

  test('of a deleted FQDN leaves nothing if its CSR was not sent', async () => {
    const fqdn = await dueFqdn();
    const { run, go } = await beginRenewal();
    await clearInventory(place.app);
    expect(await stored(fqdn)).toEqual([]);
    go();
    expect(await run).toMatchObject({ renewed: 0, failed: [], broken: 0 });
    expect(await entriesOf(place.app, fqdn)).toEqual([]);
    expect(acme.csrs).toEqual([]);
  });
});
