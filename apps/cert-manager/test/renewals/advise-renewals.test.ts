import { type Fqdn, InvalidInput, UpstreamFailed } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { createLogger } from '@certloop/server';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { certificates } from '../../src/certificates/certificates.repository.js';
import type { Provider, RenewalAdvice } from '../../src/providers/provider.js';
import { type AdviceDeps, askAdvice } from '../../src/renewals/advice/ask-advice.service.js';
import {
  clearInventory,
  explanationOf,
  openEntryOf,
  type RenewalPlace,
  renewedFqdn,
  startRenewing,
  storedRenewals,
  switchRenewal,
} from '../support/renewals.js';
import { configure, enable, providerOf } from '../support/signing.js';

const minute = 60_000;
const day = 1440 * minute;

describeEachDialect('the renewal information of a CA', (open) => {
  let place: RenewalPlace;
  let answer: () => RenewalAdvice | undefined | Promise<RenewalAdvice>;
  let asked: string[];
  let opened = 0;
  beforeAll(async () => {
    place = await startRenewing(open);
    const acme = await providerOf(place.app, 'acme');
    const config = { directoryUrl: 'https://8.8.8.8/dir', termsOfServiceAgreed: true };
    await configure(place.app, acme, config).expect(200);
    await enable(place.app, acme).expect(200);
    asked = [];
  });
  afterEach(async () => {
    await clearInventory(place.app);
    asked = [];
    opened = 0;
  });
  afterAll(() => place.close());

  const after = (ms: number) => new Date(place.app.clock.now().getTime() + ms);
  const window = (from: number, to: number, more: Partial<RenewalAdvice> = {}): RenewalAdvice => ({
    start: after(from),
    end: after(to),
    explanationUrl: undefined,
    retryAt: undefined,
    ...more,
  });

  /** Asks once, by an ACME provider that answers as the test says. */
  function ask(
    renewalAdvised: AdviceDeps['emit']['renewalAdvised'] = async () => undefined,
  ): Promise<boolean> {
    const { database: db, clock } = place.app;
    const provider = {
      adviseRenewal: async (pem: string) => {
        asked.push(pem);
        return answer();
      },
    } as Provider;
    const logger = createLogger({ service: 'cert-manager', level: 'silent' });
    const openForSigning = () => {
      opened += 1;
      return provider;
    };
    const opener = { open: openForSigning, openForSigning };
    return askAdvice({ db, clock, logger, opener, emit: { renewalAdvised } });
  }

  /** An FQDN whose certificate says that it came from the ACME provider. */
  async function advisedFqdn(): Promise<Fqdn> {
    const { app } = place;
    const fqdn = await renewedFqdn(place);
    const { id: providerId } = await providerOf(app, 'acme');
    await switchRenewal(app, fqdn, false);
    await app.database.transaction((tx) => tx.update(certificates, { fqdnId: fqdn.id }, { providerId }));
    await switchRenewal(app, fqdn, true);
    return fqdn;
  }

  const storedOf = async (fqdn: Fqdn) => (await storedRenewals(place.app.database, fqdn.id)).at(-1);

  test('notifies the watch of a changed window, and only then', async () => {
    await advisedFqdn();
    const moved: string[] = [];
    const noteMoved: AdviceDeps['emit']['renewalAdvised'] = async (_tx, { fqdn }) => void moved.push(fqdn.id);
    const [first, second] = [window(5 * day, 6 * day), window(7 * day, 8 * day)];
    for (const [said, count] of [
      [first, 1],
      [first, 1],
      [second, 2],
    ] as const) {
      answer = () => said;
      await ask(noteMoved);
      expect(moved).toHaveLength(count);
      place.app.clock.advance(day);
    }
    expect(asked).toHaveLength(3);
  });

  test('moves the entry into the window, and the explanation says so', async () => {
    const { app } = place;
    const fqdn = await advisedFqdn();
    const before = await openEntryOf(app, fqdn);
    const explanationUrl = 'https://ca.example/why';
    answer = () => window(3 * day, 4 * day, { explanationUrl });
    expect(await ask()).toBe(true);
    expect(asked).toHaveLength(1);
    const entry = await openEntryOf(app, fqdn);
    expect(entry).toEqual({ ...before, scheduledAt: expect.any(String) });
    expect(Date.parse(entry.scheduledAt)).toBeGreaterThanOrEqual(after(3 * day).getTime());
    expect(Date.parse(entry.scheduledAt)).toBeLessThanOrEqual(after(4 * day).getTime());
    const explained = await explanationOf(app, fqdn);
    expect(explained).toMatchObject({
      outlook: 'scheduled',
      scheduledAt: entry.scheduledAt,
      plan: {
        rule: 'window',
        earliest: after(3 * day).toISOString(),
        latest: after(4 * day).toISOString(),
        renewAt: entry.scheduledAt,
        explanationUrl,
      },
    });
    expect(explained.message).toContain('because the CA asks for a renewal between');
  });

  test('keeps the time while the window is unchanged, and moves it with the window', async () => {
    const { app } = place;
    const fqdn = await advisedFqdn();
    const same = window(3 * day, 4 * day);
    answer = () => same;
    await ask();
    const first = await openEntryOf(app, fqdn);
    app.clock.advance(6 * 60 * minute);
    await ask();
    expect(await openEntryOf(app, fqdn)).toEqual(first);
    app.clock.advance(6 * 60 * minute);
    answer = () => window(-2 * day, -day);
    await ask();
    expect((await openEntryOf(app, fqdn)).scheduledAt).toBe(app.clock.now().toISOString());
    expect(asked).toHaveLength(3);
  });

  test.each([
    ['when the CA says', 90, 90],
    ['a minute later at the earliest', 0, 1],
    ['twice a day at least', 1440, 720],
    ['after six hours when the CA does not say', undefined, 360],
  ])('is requested again %s', async (_, wanted, minutes) => {
    const fqdn = await advisedFqdn();
    const retryAt = wanted === undefined ? undefined : after(wanted * minute);
    answer = () => window(3 * day, 4 * day, { retryAt });
    await ask();
    expect((await storedOf(fqdn))?.adviceDueAt).toEqual(after(minutes * minute));
    place.app.clock.advance(minutes * minute - 1);
    await ask();
    expect(asked).toHaveLength(1);
    place.app.clock.advance(1);
    await ask();
    expect(asked).toHaveLength(2);
  });

  test.each([
    ['before the CA is asked', 0],
    ['while the CA is asked', 1],
  ])('does not postpone a renewal that a user runs %s', async (_, asksBefore) => {
    const { app } = place;
    const acme = await providerOf(app, 'acme');
    const fqdn = await advisedFqdn();
    const { id } = await openEntryOf(app, fqdn);
    // so that the entry stays pending
    await enable(app, acme, false).expect(200);
    const run = () => app.request.post(`/renewal-queue/${id}/run`).set(app.people.ada.auth).expect(200);
    answer = async () => {
      if (asksBefore === 1) await run();
      return window(3 * day, 4 * day);
    };
    if (asksBefore === 0) await run();
    await ask();
    expect((await openEntryOf(app, fqdn)).scheduledAt).toBe(app.clock.now().toISOString());
    await enable(app, acme).expect(200);
  });

  test('blocks nothing if it is unavailable: the last one is used', async () => {
    const { app } = place;
    const fqdn = await advisedFqdn();
    answer = () => window(3 * day, 4 * day, { retryAt: after(minute) });
    await ask();
    const before = await openEntryOf(app, fqdn);
    app.clock.advance(minute);
    for (const error of [new UpstreamFailed('no answer'), new InvalidInput('provider is disabled')]) {
      answer = () => {
        throw error;
      };
      await ask();
      expect(await openEntryOf(app, fqdn)).toEqual(before);
      expect((await storedOf(fqdn))?.adviceDueAt).toEqual(after(60 * minute));
      app.clock.advance(60 * minute);
    }
  });

  test('is replaced by the rule if it is withdrawn or absent', async () => {
    const { app } = place;
    const fqdn = await advisedFqdn();
    const byRule = await openEntryOf(app, fqdn);
    answer = () => window(day, 2 * day, { retryAt: after(minute) });
    await ask();
    expect((await openEntryOf(app, fqdn)).scheduledAt).not.toBe(byRule.scheduledAt);
    app.clock.advance(minute);
    answer = () => undefined;
    await ask();
    expect(await openEntryOf(app, fqdn)).toEqual(byRule);
    expect(await explanationOf(app, fqdn)).toMatchObject({ plan: { rule: 'two_thirds' } });
  });

  test('takes precedence over the share of the FQDN', async () => {
    const { app } = place;
    const fqdn = await advisedFqdn();
    answer = () => window(3 * day, 4 * day);
    await ask();
    const before = await openEntryOf(app, fqdn);
    await switchRenewal(app, fqdn, true, { renewAfterFraction: 0.9 });
    expect(await openEntryOf(app, fqdn)).toEqual(before);
  });

  test('is requested in batches, which say whether there is more', async () => {
    for (let count = 0; count < 10; count += 1) await advisedFqdn();
    answer = () => window(3 * day, 4 * day);
    expect(await ask()).toBe(false);
    expect(asked).toHaveLength(8);
    // opening an ACME provider reads the directory of its CA
    expect(opened).toBe(1);
    expect(await ask()).toBe(true);
    expect(asked).toHaveLength(10);
  });

  test('is requested only from the CA of the certificate, and not for a deleted FQDN', async () => {
    await renewedFqdn(place);
    expect(await ask()).toBe(true);
    expect(asked).toEqual([]);
    await advisedFqdn();
    answer = async () => {
      await clearInventory(place.app);
      return window(3 * day, 4 * day);
    };
    await ask();
    expect(asked).toHaveLength(1);
  });
});
