import type { Fqdn } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterEach, describe, expect, test } from '@jest/globals';
import {
  certificatesOf,
  clearInventory,
  failingFqdn,
  issueForDays,
  openEntryOf,
  queueOf,
  renewedFqdn,
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

  test('stay as they are while a failed attempt waits by the rules', async () => {
    const { app } = place;
    const fqdn = await failingFqdn(place);
    const before = await openEntryOf(app, fqdn);
    await app.pullBack();
    expect(await openEntryOf(app, fqdn)).toEqual(before);
    expect(before.attempt).toBe(2);
  });
});
