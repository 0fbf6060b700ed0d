import type { Fqdn } from '@certloop/contracts';
import { until } from '@certloop/contracts/testing';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { issuances } from '../../src/issuance/signing/issuances.repository.js';
import type { RunReport } from '../../src/renewals/heartbeat/run-report.js';
import { startAppOn, type TestApp } from '../support/app.js';
import {
  beginHeld,
  callSign,
  countAsked,
  letGo,
  signEntries,
  startTwoProcesses,
  type TwoProcesses,
  takeOver,
  untilWaiting,
} from '../support/cas/concurrent-signing.js';
import { beginLife, deathOf } from '../support/dying-process.js';
import { addCsr } from '../support/inventory.js';
import {
  addTestRenewal,
  certificatesOf,
  clearInventory,
  entriesOf,
  moveToRenewal,
  openEntryOf,
  renewedFqdn,
} from '../support/renewals.js';
import { countOpenRequests, newCsr } from '../support/signing.js';

const day = 86_400_000;

describeEachDialect('a call of csr/sign and a renewal of the same FQDN', (open) => {
  let place: TwoProcesses;
  beforeAll(async () => {
    place = await startTwoProcesses(open);
  });
  afterEach(async () => {
    await letGo(place.ca);
    await clearInventory(place.app);
    await takeOver(place.app);
  });
  afterAll(() => place.close());

  const callOf = (fqdn: Fqdn, app: TestApp = place.app) => ({ app, fqdn, providerId: place.providerId });
  const pemsOf = async (fqdn: Fqdn) => (await certificatesOf(place.app, fqdn)).map(({ pem }) => pem);
  const processes = ['the same process', 'another process'] as const;
  const appOf = (process: (typeof processes)[number]) =>
    process === 'another process' ? place.other : place.app;
  async function dueFqdn(hostname?: string): Promise<Fqdn> {
    const fqdn = await renewedFqdn(place, hostname);
    await moveToRenewal(place.app, fqdn);
    return fqdn;
  }
  /** Begins to renew what is due; resolves when the CA holds the request. */
  async function beginRenewal(): Promise<{ readonly run: Promise<RunReport> }> {
    const { app, ca } = place;
    const before = countAsked(ca);
    ca.answer('when let go');
    const run = app.renew();
    await until(() => countAsked(ca) > before);
    return { run };
  }
  /** Renews in a further process, in which something happens once when the entries are claimed. */
  async function renewWith(whenClaimed: () => Promise<unknown>): Promise<RunReport> {
    const { app, environment } = place;
    let happened: Promise<unknown> | undefined;
    const atStep = async (step: string) => {
      if (step !== 'claimed') return;
      happened ??= whenClaimed();
      await happened;
    };
    const renewing = await startAppOn(app.database, { beside: app, environment, renewals: { atStep } });
    try {
      return await renewing.renew();
    } finally {
      await renewing.close();
    }
  }
  /** Expects that the open entry renews the newest of so many certificates, and that nothing was counted as a try. */
  async function expectPlanned(fqdn: Fqdn, certificates: number): Promise<void> {
    const stored = await certificatesOf(place.app, fqdn);
    expect(stored).toHaveLength(certificates);
    expect(await openEntryOf(place.app, fqdn)).toMatchObject({
      status: 'pending',
      attempt: 1,
      certificateId: stored.at(-1)?.id,
    });
  }

  describe('that is running', () => {
    test.each(processes)('share its certificate in %s if CSR and provider are the same', async (process) => {
      const { ca } = place;
      const fqdn = await dueFqdn();
      const before = countAsked(ca);
      const { run } = await beginRenewal();
      const call = callSign(callOf(fqdn, appOf(process)));
      await untilWaiting([appOf(process)], fqdn, 1);
      await letGo(ca);
      expect(await run).toMatchObject({ renewed: 1, failed: [], broken: 0 });
      const { body } = await call;
      expect(body.success).toBe(true);
      const pems = await pemsOf(fqdn);
      expect([pems.length, pems[1]]).toEqual([2, body.certificate]);
      expect(countAsked(ca) - before).toBe(1);
      expect(await countOpenRequests(place.app)).toBe(0);
      // the first entry is of the certificate that was renewed
      const [, joined] = await signEntries(place.app, fqdn);
      expect(joined?.details['joined']).toEqual(expect.stringMatching(/^[0-9a-f-]{36}$/));
    });

    test.each(processes)('follow each other in %s if the call is for a newer CSR', async (process) => {
      const { app, ca } = place;
      const fqdn = await dueFqdn();
      const before = countAsked(ca);
      const { run } = await beginRenewal();
      await addCsr(app, fqdn, await newCsr(fqdn.fqdn));
      const call = callSign(callOf(fqdn, appOf(process)));
      await untilWaiting([appOf(process)], fqdn, 1);
      expect(countAsked(ca) - before).toBe(1);
      await letGo(ca);
      await run;
      expect((await call).body.success).toBe(true);
      const pems = await pemsOf(fqdn);
      expect([pems.length, pems[2]]).toEqual([3, (await call).body.certificate]);
      expect(countAsked(ca) - before).toBe(2);
    });

    test('let the call ask the CA itself if the renewal fails', async () => {
      const { app, ca } = place;
      const fqdn = await dueFqdn();
      const before = countAsked(ca);
      const { run } = await beginRenewal();
      const call = callSign(callOf(fqdn));
      await untilWaiting([app], fqdn, 1);
      await letGo(ca, 'with a refusal');
      expect(await run).toMatchObject({ renewed: 0, failed: [{}] });
      expect((await call).body.success).toBe(true);
      expect(countAsked(ca) - before).toBe(2);
      await expectPlanned(fqdn, 2);
    });
  });

  test.each(processes)(
    'share one certificate if the renewal is due in %s while the call is running',
    async (process) => {
      const { app, ca } = place;
      const fqdn = await dueFqdn();
      const before = countAsked(ca);
      const first = await beginHeld(ca, callOf(fqdn, appOf(process)));
      expect(await app.renew()).toMatchObject({ renewed: 0, failed: [], broken: 0 });
      expect(countAsked(ca) - before).toBe(1);
      await letGo(ca);
      expect((await first.response).body.success).toBe(true);
      await app.renew();
      expect(countAsked(ca) - before).toBe(1);
      await expectPlanned(fqdn, 2);
    },
  );

  test('renew as soon as the call has failed', async () => {
    const { app, ca } = place;
    const fqdn = await dueFqdn();
    const first = await beginHeld(ca, callOf(fqdn));
    await app.renew();
    await letGo(ca, 'with a refusal');
    expect((await first.response).body.success).toBe(false);
    expect(await app.renew()).toMatchObject({ renewed: 1 });
    await expectPlanned(fqdn, 2);
  });

  test('that begin in two processes at the same moment get one certificate', async () => {
    const { app, ca, other } = place;
    const fqdns: Fqdn[] = [];
    while (fqdns.length < 4) fqdns.push(await renewedFqdn(place, `h${fqdns.length}.example.org`));
    app.clock.advance(25 * day);
    const [before, asked] = [ca.ids.length, countAsked(ca)];
    ca.answer('when let go');
    const run = app.renew();
    const calls = fqdns.map((fqdn) => callSign(callOf(fqdn, other)));
    await until(() => countAsked(ca) - asked === 4);
    // each call has either begun before the renewal of its FQDN, or joins it
    const ids = new Set<unknown>(fqdns.map(({ id }) => id));
    const joined = () =>
      other.logged().filter(({ event, fqdnId }) => event === 'issuance.joined' && ids.has(fqdnId));
    const renewed = { state: 'running', cause: 'renewal' } as const;
    const count = await app.database.read((tx) => tx.countBy(issuances, renewed));
    await until(() => joined().length === count);
    await letGo(ca);
    await run;
    for (const call of calls) expect((await call).body.success).toBe(true);
    expect(ca.ids.length - before).toBe(4);
    for (const [index, fqdn] of fqdns.entries()) {
      expect((await pemsOf(fqdn))[1]).toBe((await calls[index])?.body.certificate);
      await expectPlanned(fqdn, 2);
    }
    expect(await countOpenRequests(app)).toBe(0);
  });

  test('share the certificate if the call begins when the renewal was just claimed, and others are renewed meanwhile', async () => {
    const { app, ca } = place;
    const [joined, ...others] = [
      await renewedFqdn(place, 'joined.example.org'),
      await renewedFqdn(place, 'one.example.org'),
      await renewedFqdn(place, 'two.example.org'),
    ];
    if (joined === undefined) throw new Error('there are three');
    app.clock.advance(25 * day);
    const before = ca.ids.length;
    let call: ReturnType<typeof callSign> | undefined;
    const report = await renewWith(async () => {
      call = callSign(callOf(joined));
      await untilWaiting([app], joined, 1);
    });
    expect(report).toMatchObject({ renewed: 3, failed: [], broken: 0, isDone: true });
    for (const fqdn of [joined, ...others]) await expectPlanned(fqdn, 2);
    expect((await pemsOf(joined))[1]).toBe((await call)?.body.certificate);
    expect(ca.ids.length - before).toBe(3);
  });

  test('let a test renewal run after the call', async () => {
    const { app, ca } = place;
    const fqdn = await renewedFqdn(place);
    const id = await addTestRenewal(app, fqdn);
    const call = await beginHeld(ca, callOf(fqdn));
    expect(await app.renew()).toMatchObject({ renewed: 0, failed: [] });
    await letGo(ca);
    await call.response;
    expect(await app.renew()).toMatchObject({ renewed: 1 });
    expect(await certificatesOf(app, fqdn)).toHaveLength(3);
    const tests = (await entriesOf(app, fqdn)).filter(({ isTest }) => isTest);
    expect(tests).toMatchObject([{ id, status: 'completed', attempt: 1 }]);
  });

  describe('whose process was killed after the answer of the CA', () => {
    /** Kills a process that renews; resolves with the number of certificates that the CA had issued before. */
    async function dieRenewing(): Promise<number> {
      const { app, ca, environment } = place;
      const before = ca.ids.length;
      const { databaseUrl, clock } = app;
      const life = {
        databaseUrl,
        environment,
        now: clock.now(),
        work: 'renewals',
        deadly: 'answered',
      } as const;
      expect(await deathOf(beginLife(life))).toBe('SIGKILL');
      expect(ca.ids.length - before).toBe(1);
      return before;
    }
    /** Expects the certificate once, stored for the scheduler, and the entry as completed in its second attempt. */
    async function expectStoredOnce(fqdn: Fqdn, before: number): Promise<void> {
      const { app, ca } = place;
      expect(await app.renew()).toMatchObject({ lapsed: 1, failed: [], broken: 0 });
      expect(ca.ids.length - before).toBe(1);
      await expectPlanned(fqdn, 2);
      const [ended] = await entriesOf(app, fqdn);
      expect(ended).toMatchObject({ status: 'completed', attempt: 2 });
      expect(await countOpenRequests(app)).toBe(0);
      const entries = (await signEntries(app, fqdn)).slice(1);
      expect(entries.filter(({ username }) => username === 'scheduler')).toHaveLength(1);
    }

    test('share its certificate when the lease has expired', async () => {
      const { app, other } = place;
      const fqdn = await dueFqdn();
      const before = await dieRenewing();
      const call = callSign(callOf(fqdn, other));
      await untilWaiting([other], fqdn, 1);
      expect(await app.renew()).toMatchObject({ renewed: 0, lapsed: 0 });
      await takeOver(app);
      const { body } = await call;
      expect(body.success).toBe(true);
      expect((await pemsOf(fqdn))[1]).toBe(body.certificate);
      await expectStoredOnce(fqdn, before);
    });

    test('leave its certificate to the job that asks CAs again', async () => {
      const fqdn = await dueFqdn();
      const before = await dieRenewing();
      await place.other.recoverSigning();
      expect(await certificatesOf(place.app, fqdn)).toHaveLength(1);
      await takeOver(place.other);
      expect(await certificatesOf(place.app, fqdn)).toHaveLength(2);
      await expectStoredOnce(fqdn, before);
    });

    test('leave that of a test entry to the job that asks CAs again', async () => {
      const { app, ca, other } = place;
      const fqdn = await renewedFqdn(place);
      const id = await addTestRenewal(app, fqdn);
      const before = await dieRenewing();
      await takeOver(other);
      expect(await app.renew()).toMatchObject({ lapsed: 1, renewed: 1 });
      expect(ca.ids.length - before).toBe(1);
      expect(await certificatesOf(app, fqdn)).toHaveLength(2);
      const tests = (await entriesOf(app, fqdn)).filter(({ isTest }) => isTest);
      expect(tests).toMatchObject([{ id, status: 'completed', attempt: 2 }]);
    });
  });

  test('of a slow CA extend the lease of the issuance with that of the entry', async () => {
    const { app, ca, environment } = place;
    const fqdn = await dueFqdn();
    const renewing = await startAppOn(app.database, { beside: app, environment, renewals: { leaseMs: 300 } });
    const leaseOf = async () => {
      const [row] = await app.database.read((tx) => tx.findBy(issuances, { fqdnId: fqdn.id }));
      return row?.leaseUntil?.getTime();
    };
    const before = countAsked(ca);
    ca.answer('when let go');
    const run = renewing.renew();
    await until(() => countAsked(ca) > before);
    app.clock.advance(200);
    const extended = app.clock.now().getTime() + 300;
    await until(async () => (await leaseOf()) === extended);
    await letGo(ca);
    expect(await run).toMatchObject({ renewed: 1 });
    await renewing.close();
  });
});
