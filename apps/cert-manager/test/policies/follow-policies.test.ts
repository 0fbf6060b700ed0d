import type { AllowedNames, Fqdn } from '@certloop/contracts';
import { executeSql } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { policyRefusals } from '../../src/fqdns/policy/policy-refusals.repository.js';
import { describeRun, hasSucceeded } from '../../src/renewals/heartbeat/run-report.js';
import { startAppOn, type TestApp } from '../support/app.js';
import { addCsr, addFqdn, addSpace } from '../support/inventory.js';
import { startWatched, type WatchedPlace } from '../support/monitor/watched-place.js';
import type { WatchingMonitor } from '../support/monitor/watching-monitor.js';
import {
  certificatesOf,
  clearInventory,
  entriesOf,
  explanationOf,
  moveToRenewal,
  openEntryOf,
  type RenewalPlace,
  renewedFqdn,
} from '../support/renewals.js';
import { newCsr, providerOf } from '../support/signing.js';

const example: AllowedNames = {
  names: [],
  suffixes: ['allowed.test'],
  wildcards: false,
  cidrs: [],
  beyondFqdn: false,
};
const reason = expect.stringContaining('www.example.org is not allowed');

describeEachDialect('a renewal that the policy of its space forbids', (open) => {
  let watched: WatchedPlace;
  let monitor: WatchingMonitor;
  let place: RenewalPlace;
  let app: TestApp;
  beforeAll(async () => {
    watched = await startWatched(open);
    ({ monitor, place } = watched);
    app = place.app;
  });
  afterEach(async () => {
    await app.review();
    await clearInventory(app);
    await app.watch();
  });
  afterAll(() => watched.close());

  const put = (fqdn: Fqdn, body: object) =>
    app.request
      .put(`/spaces/${fqdn.spaceId}/issuance-policy`)
      .set(app.people.ada.auth)
      .send({ ...body, confirmed: true })
      .expect(200);
  const forbid = (fqdn: Fqdn) => put(fqdn, { allowedNames: example });
  const allow = (fqdn: Fqdn) => put(fqdn, {});
  // the heartbeat has a check of its own
  const pings = () =>
    monitor.checks().find(({ settings }) => `${settings['slug']}`.startsWith('certloop-fqdn-'))?.pings ?? [];
  const signals = () => pings().map(({ signal }) => signal);
  const lastBody = () => pings().at(-1)?.body;
  const refused = () => app.database.read((tx) => tx.count(policyRefusals));

  test('fails its check at once, shows in its entry and its explanation, and recovers with the policy', async () => {
    const fqdn = await renewedFqdn(place);
    await app.watch();
    expect(signals()).toEqual(['success']);
    await forbid(fqdn);
    await app.review();
    await app.watch();
    expect(signals()).toEqual(['success', 'fail']);
    expect(lastBody()).toContain('www.example.org is not allowed');
    const planned = await openEntryOf(app, fqdn);
    expect(planned).toMatchObject({ status: 'pending', reason });
    expect(await explanationOf(app, fqdn)).toMatchObject({
      outlook: 'forbidden',
      willRenew: false,
      scheduledAt: planned.scheduledAt,
      message: reason,
    });
    // what is known is not reported again
    await forbid(fqdn);
    await app.review();
    await allow(fqdn);
    await app.review();
    await app.watch();
    expect(signals()).toEqual(['success', 'fail', 'success']);
    expect(await openEntryOf(app, fqdn)).toEqual({ ...planned, reason: undefined });
    expect(await explanationOf(app, fqdn)).toMatchObject({ outlook: 'scheduled', willRenew: true });
    expect(await refused()).toBe(0);
  });

  test('does not end silently: attempts continue, the heartbeat fails, and a new policy resumes it', async () => {
    const fqdn = await renewedFqdn(place);
    await forbid(fqdn);
    await app.review();
    await moveToRenewal(app, fqdn);
    const asked = place.ca.paths.length;
    const report = await app.renew();
    expect(report.failed).toEqual([expect.objectContaining({ fqdn: fqdn.fqdn, reason })]);
    expect(report.forbidden).toEqual({ count: 1, first: fqdn.fqdn });
    expect(hasSucceeded(report)).toBe(false);
    expect(describeRun(report)).toContain('1 forbidden by issuance policies, the first is www.example.org');
    expect(place.ca.paths).toHaveLength(asked);
    const [failed, next] = await entriesOf(app, fqdn);
    expect(failed).toMatchObject({ status: 'failed', reason });
    expect(next).toMatchObject({ status: 'pending', reason });
    expect(Date.parse(next?.scheduledAt ?? '')).toBeGreaterThan(app.clock.now().getTime());
    // no try is due, and the heartbeat fails all the same
    expect(hasSucceeded(await app.renew())).toBe(false);
    await allow(fqdn);
    await app.review();
    // the clock stands still
    expect((await app.renew()).forbidden).toEqual({ count: 0, first: undefined });
    expect((await certificatesOf(app, fqdn)).length).toBe(2);
    await app.watch();
    expect(signals().at(-1)).toBe('success');
  });

  test('continues when a CSR that the policy allows is uploaded', async () => {
    const fqdn = await renewedFqdn(place);
    await put(fqdn, {});
    await addCsr(app, fqdn, await newCsr(fqdn.fqdn, 'more.example.org'));
    await put(fqdn, { allowedNames: { ...example, suffixes: ['example.org'] } });
    await app.review();
    expect(await explanationOf(app, fqdn)).toMatchObject({
      outlook: 'forbidden',
      message: expect.stringContaining('more.example.org'),
    });
    await addCsr(app, fqdn, await newCsr(fqdn.fqdn));
    expect(await refused()).toBe(0);
    expect((await openEntryOf(app, fqdn)).reason).toBeUndefined();
    await moveToRenewal(app, fqdn);
    expect((await app.renew()).renewed).toBe(1);
  });

  test('is reported because of its provider, and recovers when the policy allows that provider', async () => {
    const fqdn = await renewedFqdn(place);
    await put(fqdn, { providerIds: [(await providerOf(app, 'acme')).id] });
    await app.review();
    expect(await explanationOf(app, fqdn)).toMatchObject({
      outlook: 'forbidden',
      message: expect.stringContaining('the provider dummy-ca is not among providerIds'),
    });
    await put(fqdn, { providerIds: [place.providerId] });
    await app.review();
    expect(await refused()).toBe(0);
  });

  test('is found beside spaces without names and with as many as are read at once', async () => {
    for (const count of [0, 25]) {
      const space = await addSpace(app);
      for (let number = 1; number <= count; number += 1) {
        await addFqdn(app, space.id, `name${number}.example.org`);
      }
      await app.request
        .put(`/spaces/${space.id}/issuance-policy`)
        .set(app.people.ada.auth)
        .send({ allowedNames: { ...example, suffixes: ['example.org'] } })
        .expect(200);
    }
    app.clock.advance(1000);
    await forbid(await renewedFqdn(place));
    await app.review();
    expect(await refused()).toBe(1);
  });

  /** A policy as a process leaves it that dies before the review. */
  const forbidUnreviewed = ({ spaceId }: Fqdn) =>
    app.database.transaction(async (tx) => {
      await executeSql(
        tx,
        `insert into space_policies (space_id, revision, allowed_names, provider_ids, reviewed_to, review_due_at)
         values ($1, $2, $3, null, '', $4)`,
        [spaceId, crypto.randomUUID(), example, app.clock.now()],
      );
    });
  const startBeside = () =>
    startAppOn(app.database, { environment: { DUMMY_CA_URL: place.ca.url }, beside: app });

  test('is reported at once by another process when the reviewing process is stopped', async () => {
    const fqdn = await renewedFqdn(place);
    await forbidUnreviewed(fqdn);
    const stopping = await startBeside();
    // the claim is under way
    const reviewing = stopping.review();
    await Promise.all([stopping.close(), reviewing]);
    expect(await refused()).toBe(0);
    await app.review();
    expect(await refused()).toBe(1);
  });

  test('is reported by another process when the process that changed the policy dies before the review', async () => {
    const fqdn = await renewedFqdn(place);
    await forbidUnreviewed(fqdn);
    const other = await startBeside();
    try {
      await Promise.all([other.review(), app.review()]);
      expect(await refused()).toBe(1);
      expect(await openEntryOf(app, fqdn)).toMatchObject({ reason });
    } finally {
      await other.close();
    }
  });
});
