import type { Fqdn } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { createLogger, createMovableClock, createSteadyClock } from '@certloop/server';
import { afterEach, describe, expect, test } from 'vitest';
import {
  certificatesOf,
  clearInventory,
  failingFqdn,
  issueForDays,
  moveToRenewal,
  openEntryOf,
  queueOf,
  renewedFqdn,
  startRenewing,
  useRenewing,
} from '../support/renewals.js';
import { minute } from './run-renewals/run-facts.js';

const day = 1440 * minute;

describeEachDialect('renewals after a clock was wrong', (open) => {
  let aheadMs = 0;
  const place = useRenewing(open, { caNow: (now) => new Date(now.getTime() - aheadMs) });
  afterEach(async () => {
    await clearInventory(place.app);
  });

  const moments = async () => (await queueOf(place.app, { status: 'pending' })).map(at);
  const at = ({ scheduledAt }: { readonly scheduledAt: string }) => Date.parse(scheduledAt);
  const sixNames = async (validityDays: number): Promise<readonly Fqdn[]> => {
    await issueForDays(place, validityDays);
    const fqdns: Fqdn[] = [];
    for (let count = 0; count < 6; count += 1) fqdns.push(await renewedFqdn(place));
    return fqdns;
  };
  /** The queue is worked on while the clock is wrong; the CA's is right, so its certificates seem expired. */
  const runAhead = async (ms: number): Promise<void> => {
    const { app } = place;
    aheadMs = ms;
    app.clock.advance(ms);
    expect(await app.renew()).toMatchObject({ renewed: 0 });
    app.clock.advance(40_000);
    await app.renew();
    app.clock.advance(-ms);
    aheadMs = 0;
  };

  describe.each([
    ['200 days ahead', 200 * day, 90],
    ['a day ahead, with certificates of a day', day + 60 * minute, 1],
  ])('%s for 40 s', (_, ms, validityDays) => {
    test('are planned again as before, and made before the certificates end', async () => {
      const { app } = place;
      const fqdns = await sixNames(validityDays);
      const before = await moments();
      await runAhead(ms);
      const ends = (await certificatesOf(app, fqdns[0] as Fqdn)).map(({ expiresAt }) =>
        Date.parse(expiresAt),
      );
      expect(Math.max(...(await moments()))).toBeGreaterThan(Math.max(...ends));

      await app.pullBack();
      expect(await moments()).toEqual(before);
      const entries = await queueOf(app, { status: 'pending' });
      expect(entries.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1, 1, 1]);

      app.clock.set(new Date(Math.max(...before)));
      expect(app.clock.now().getTime()).toBeLessThan(Math.min(...ends));
      expect(await app.renew()).toMatchObject({ renewed: 6, failed: [] });
    });
  });

  test('are spread over the next hour if they were due', async () => {
    const { app } = place;
    await sixNames(30);
    app.clock.set(new Date(Math.max(...(await moments()))));
    const now = app.clock.now().getTime();
    await runAhead(200 * day);
    await app.pullBack();
    const planned = await moments();
    expect(planned.every((moment) => moment >= now && moment <= now + 60 * minute + 40_000)).toBe(true);
    expect(new Set(planned).size).toBeGreaterThan(1);
  });

  test('wait no longer than the rules allow if a clock is a day behind', async () => {
    const { app } = place;
    await sixNames(30);
    const before = await moments();
    app.clock.advance(-day);
    await app.renew();
    await app.pullBack();
    app.clock.advance(day);
    await app.pullBack();
    expect(await moments()).toEqual(before);
  });

  test.each([
    ['in spring', '2026-03-28T12:00:00Z'],
    ['in autumn', '2026-10-24T12:00:00Z'],
  ])('do not depend on the change of the host’s time %s', async (_, at) => {
    const { app } = place;
    const zone = process.env['TZ'];
    process.env['TZ'] = 'Europe/Berlin';
    try {
      app.clock.set(new Date(at));
      await issueForDays(place, 1);
      const fqdn = await renewedFqdn(place);
      const { scheduledAt } = await openEntryOf(app, fqdn);
      app.clock.set(new Date(Date.parse(scheduledAt) - 1000));
      await app.pullBack();
      expect((await openEntryOf(app, fqdn)).scheduledAt).toBe(scheduledAt);
      expect(await app.renew()).toMatchObject({ renewed: 0, failed: [] });
      app.clock.advance(1000);
      expect(await app.renew()).toMatchObject({ renewed: 1, failed: [] });
    } finally {
      if (zone === undefined) delete process.env['TZ'];
      else process.env['TZ'] = zone;
    }
  });

  test('stay as they are while a failed attempt waits by the rules', async () => {
    const { app } = place;
    const fqdn = await failingFqdn(place);
    const before = await openEntryOf(app, fqdn);
    await app.pullBack();
    expect(await openEntryOf(app, fqdn)).toEqual(before);
    expect(before.attempt).toBe(2);
  });
});

describeEachDialect('a service whose clock jumped', (open) => {
  test('goes on five minutes after a suspend of an hour, and then renews what became due', async () => {
    const clock = createMovableClock(new Date('2026-03-01T12:00:00Z'));
    let awakeMs = 0;
    const sources = { wall: () => clock.now().getTime(), monotonic: () => awakeMs };
    const steady = createSteadyClock(sources, createLogger({ service: 'cert-manager', level: 'silent' }));
    const place = await startRenewing(open, { steady });
    const fqdn = await renewedFqdn(place);
    await moveToRenewal(place.app, fqdn);
    clock.advance(60 * minute);
    for (const [awake, certificates] of [
      [0, 1],
      [4, 1],
      [1, 2],
    ] as const) {
      awakeMs += awake * minute;
      clock.advance(awake * minute);
      await steady.check();
      await place.app.runRenewalJob();
      expect(await certificatesOf(place.app, fqdn)).toHaveLength(certificates);
    }
    await place.close();
  });

  test('says so in /health/ready and the metrics, and begins no due renewal until the time is certain', async () => {
    const clock = createMovableClock(new Date('2026-03-01T12:00:00Z'));
    const sources = { wall: () => clock.now().getTime(), monotonic: () => 0 };
    const compared = createSteadyClock(sources, createLogger({ service: 'cert-manager', level: 'silent' }));
    // the small CA of the test shows the time of the machine
    const steady = { ...compared, noteCaDate: () => undefined };
    const place = await startRenewing(open, { steady, environment: { METRICS_OPEN: 'true' } });
    const ready = async () => (await place.app.request.get('/health/ready').expect(200)).body;
    const metric = async () =>
      /^clock_unsettled (\d)$/m.exec((await place.app.request.get('/metrics')).text)?.[1];
    expect(await ready()).not.toHaveProperty('clock');
    const fqdn = await renewedFqdn(place);
    await moveToRenewal(place.app, fqdn);
    clock.advance(200 * day);
    await steady.check();
    expect((await ready()).clock).toContain('no new work is begun until the time is certain');
    expect(await metric()).toBe('1');
    await place.app.runRenewalJob();
    expect(await certificatesOf(place.app, fqdn)).toHaveLength(1);

    clock.advance(-200 * day);
    await steady.check();
    expect(await ready()).not.toHaveProperty('clock');
    await place.app.runRenewalJob();
    expect(await certificatesOf(place.app, fqdn)).toHaveLength(2);
    await place.close();
  });
});
