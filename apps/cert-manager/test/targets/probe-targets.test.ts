import { describeEachDialect } from '@certloop/db/testing';
import { expect, test } from 'vitest';
import { targetChanges } from '../../src/targets/probes/target-changes.repository.js';
import { targets } from '../../src/targets/targets.repository.js';
import { classesOf, newestOf, ownedFqdn, servedOf } from '../support/monitor/served-place.js';
import { certificatesOf, signWith } from '../support/renewals.js';
import { describeFaults } from './probe-targets/fault-tests.js';
import { describeObservations } from './probe-targets/observation-tests.js';
import { hour, minute, useProbes } from './probe-targets/probe-place.js';

describeEachDialect('probes of targets', (open) => {
  const place = useProbes(open);
  const { names, listen, targetAt } = place;
  const changes = () => place.app.database.read((tx) => tx.find(targetChanges));

  test('report the newest certificate as current, an earlier one as previous and then as stale, and the reload', async () => {
    const { app } = place;
    const owned = await ownedFqdn(place);
    const { fqdn } = owned;
    place.server.reload(await newestOf(app, owned));
    await targetAt(fqdn, { graceSeconds: 3600 });
    await app.probe();
    const [first] = await certificatesOf(app, fqdn);
    const before = await servedOf(app, fqdn);
    expect(before).toMatchObject({
      class: 'current',
      partial: false,
      expected: { certificateId: first?.id },
    });
    expect(before.targets[0]?.addresses).toEqual([
      expect.objectContaining({
        address: '127.0.0.1',
        class: 'current',
        well: true,
        observer: 'manager',
        served: expect.objectContaining({
          serialNumber: before.expected?.serialNumber,
          fingerprint: before.expected?.fingerprint,
        }),
      }),
    ]);
    await signWith(place, fqdn);
    // nothing is due before a minute has passed
    const taken = place.server.taken();
    app.clock.advance(59_000);
    await app.probe();
    expect(place.server.taken()).toBe(taken);
    app.clock.advance(1000);
    await app.probe();
    expect(await servedOf(app, fqdn)).toMatchObject({ class: 'previous' });
    app.clock.advance(hour);
    await app.probe();
    const stale = await servedOf(app, fqdn);
    expect(stale).toMatchObject({ class: 'stale' });
    const address = stale.targets[0]?.addresses[0];
    expect(address?.hint).toBe(
      `127.0.0.1:${place.server.port} still serves certificate ${before.expected?.serialNumber}, which ends on ${first?.expiresAt.slice(0, 10)}; ` +
        `${stale.expected?.serialNumber} was issued on ${stale.expected?.storedAt.slice(0, 10)}: install it and reload the server.`,
    );
    expect(address?.failsAt).toBe(new Date(Date.parse(stale.expected?.storedAt ?? '') + hour).toISOString());
    place.server.reload(await newestOf(app, owned));
    app.clock.advance(7 * hour);
    await app.probe();
    expect(await servedOf(app, fqdn)).toMatchObject({ class: 'current' });
    // only changes are recorded
    expect((await changes()).map((change) => change.class).sort()).toEqual(
      ['current', 'previous', 'stale', 'current'].sort(),
    );
  });

  test('run 1, 5 and 30 minutes after a certificate is stored, and then periodically', async () => {
    const { app } = place;
    const owned = await ownedFqdn(place);
    place.server.reload(await newestOf(app, owned));
    await targetAt(owned.fqdn, { everySeconds: 36_000 });
    const stored = app.clock.now().getTime();
    const due = async () => {
      const [target] = await app.database.read((tx) => tx.find(targets));
      return ((target?.dueAt.getTime() ?? 0) - stored) / minute;
    };
    const seen: number[] = [];
    for (let count = 0; count < 4; count += 1) {
      await app.probe();
      seen.push(await due());
      app.clock.set(new Date(stored + (seen.at(-1) ?? 0) * minute));
    }
    expect(seen.slice(0, 3)).toEqual([1, 5, 30]);
    expect(seen[3]).toBeGreaterThanOrEqual(30 + 540);
    expect(seen[3]).toBeLessThanOrEqual(30 + 660);
  });

  test('judge each address of a name, and forget those that it no longer has', async () => {
    const { app } = place;
    const owned = await ownedFqdn(place);
    const { fqdn } = owned;
    const newest = await newestOf(app, owned);
    place.server.reload(newest);
    const foreign = await ownedFqdn(place);
    await listen(await newestOf(app, foreign), '127.0.0.2');
    names.set('lb.example.org', ['127.0.0.1', '127.0.0.2', '127.0.0.3', '10.1.2.3']);
    await targetAt(fqdn, { host: 'lb.example.org' });
    await app.probe();
    expect(await classesOf(app, fqdn)).toEqual({
      '127.0.0.1': 'current',
      '127.0.0.2': 'foreign',
      '127.0.0.3': 'unreachable',
      '10.1.2.3': 'unreachable',
    });
    const served = await servedOf(app, fqdn);
    expect(served).toMatchObject({ class: 'foreign', partial: true });
    const private10 = served.targets[0]?.addresses.find(({ address }) => address === '10.1.2.3');
    expect(private10).toMatchObject({ stage: 'not_allowed', failure: 'address_not_allowed' });
    names.set('lb.example.org', ['127.0.0.1']);
    app.clock.advance(7 * hour);
    await app.probe();
    expect(await classesOf(app, fqdn)).toEqual({ '127.0.0.1': 'current' });
    // a name that has gone leaves what was seen
    names.clear();
    app.clock.advance(7 * hour);
    await app.probe();
    expect(await classesOf(app, fqdn)).toEqual({ '127.0.0.1': 'current', '': 'unreachable' });
  });

  test('connect to the address that was judged, also when the name changes between look-up and connect', async () => {
    const { app } = place;
    const owned = await ownedFqdn(place);
    place.server.reload(await newestOf(app, owned));
    const trap = await listen(await newestOf(app, owned), '127.0.0.9');
    await targetAt(owned.fqdn, { host: 'rebinding.example.org' });
    names.set('rebinding.example.org', ['127.0.0.1']);
    // whatever it would answer from now on is not asked for
    place.afterLookUp = () => names.set('rebinding.example.org', ['169.254.169.254', '127.0.0.9']);
    await app.probe();
    place.afterLookUp = () => undefined;
    expect(await classesOf(app, owned.fqdn)).toEqual({ '127.0.0.1': 'current' });
    names.set('rebinding.example.org', ['169.254.169.254']);
    app.clock.advance(7 * hour);
    await app.probe();
    const { targets: shown } = await servedOf(app, owned.fqdn);
    expect(shown[0]?.addresses).toEqual([
      expect.objectContaining({ address: '169.254.169.254', failure: 'address_not_allowed' }),
    ]);
    expect(trap.taken()).toBe(0);
  });

  describeFaults(place);
  describeObservations(place);
});
