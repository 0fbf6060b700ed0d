import { EventEmitter, once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { Tx } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { claimRenewals, listDueRenewals } from '../../src/renewals/queue/due-renewals.repository.js';
import { changeOfRenewal } from '../../src/renewals/renewal-entry.js';
import { updateRenewal, updateRenewals } from '../../src/renewals/renewals.repository.js';
import { type OrderingPlace, startOrdering } from '../support/acme/ordering-place.js';
import { startAppOn, type TestApp } from '../support/app.js';
import {
  certificatesOf,
  clearInventory,
  entriesOf,
  moveToRenewal,
  renewedFqdn,
  storedRenewals,
} from '../support/renewals.js';
import { countOpenRequests, providerOf } from '../support/signing.js';

describeEachDialect('a process that is stopped while it renews', (open) => {
  let place: OrderingPlace;
  beforeAll(async () => {
    place = await startOrdering(open, {});
  });
  afterEach(async () => {
    place.acme.processing = 0;
    await clearInventory(place.app);
  });
  afterAll(() => place.close());

  test('leaves its renewal to the next process, which continues the order at once, in the same attempt', async () => {
    const { app, acme, environment } = place;
    const { id: providerId } = await providerOf(app, 'acme');
    const fqdn = await renewedFqdn({ ...place, providerId });
    await moveToRenewal(app, fqdn);
    acme.forget();
    acme.processing = 1_000_000;
    const stopping = await startAppOn(app.database, { environment, beside: app });
    const renewing = stopping.renew();
    while (acme.csrs.length === 0) await wait(5);
    await stopping.close();
    // no one needs to look at it
    expect(await renewing).toMatchObject({ renewed: 0, failed: [], broken: 0 });
    expect(endsOf(stopping)).toEqual(['renewal.released']);

    acme.processing = 0;
    expect(await app.renew()).toMatchObject({ renewed: 1, lapsed: 0 });
    expect([acme.orders.length, acme.csrs.length]).toEqual([1, 1]);
    expect(await certificatesOf(app, fqdn)).toHaveLength(2);
    expect((await entriesOf(app, fqdn)).map(({ status, attempt }) => [status, attempt])).toEqual([
      ['completed', 1],
      ['pending', 1],
    ]);
  });

  const deadly = ['claimed', 'answered'] as const;
  test.each(deadly)(
    'logs an unexpected error when it stops at %s, and leaves that renewal too',
    async (point) => {
      const { app, ca, environment } = place;
      const fqdn = await renewedFqdn(place);
      await moveToRenewal(app, fqdn);
      const before = ca.ids.length;
      const steps = new EventEmitter();
      const atStep = async (step: string) => {
        if (step !== point) return;
        const goOn = once(steps, 'go on');
        steps.emit('reached');
        await goOn;
        throw new Error('unexpected');
      };
      const stopping = await startAppOn(app.database, { environment, beside: app, renewals: { atStep } });
      const reached = once(steps, 'reached');
      const renewing = stopping.renew();
      await reached;
      const closing = stopping.close();
      steps.emit('go on');
      await Promise.all([closing, renewing]);
      expect(endsOf(stopping)).toEqual(['renewal.unexpected_error', 'renewal.released']);
      expect(await app.renew()).toMatchObject({ renewed: 1, lapsed: 0 });
      // under the same key, the CA returns what it has issued
      expect([ca.ids.length - before, await countOpenRequests(app)]).toEqual([1, 0]);
    },
  );

  test('writes nothing once the next one has claimed the renewal that it left', async () => {
    const { app, providerId } = place;
    const { database: db, clock } = app;
    const fqdn = await renewedFqdn(place);
    await moveToRenewal(app, fqdn);
    const claim = async (owner: string) => {
      const now = clock.now();
      const lease = { owner, leaseUntil: new Date(now.getTime() + 60_000), now };
      const [entry] = await db.transaction(async (tx) => {
        const due = await listDueRenewals(tx, { providerId, now, limit: 1, byExpiry: false });
        const ids = due.map(({ id }) => id);
        return claimRenewals(tx, ids, lease);
      });
      if (entry === undefined) throw new Error('nothing was due');
      return entry;
    };
    const left = await claim('first');
    const change = changeOfRenewal(left, { kind: 'leave', attempt: left.attempt });
    expect(await db.transaction((tx) => updateRenewal(tx, left, { ...change }))).toBe(true);
    const next = await claim('second');
    expect(next).toMatchObject({ id: left.id, attempt: left.attempt, leaseOwner: 'second' });

    expect(await db.transaction((tx) => updateRenewal(tx, left, { reason: 'late' }))).toBe(false);
    const { attempt, leaseOwner } = left;
    const late = (tx: Tx) => updateRenewals(tx, { ids: [left.id], attempt, leaseOwner }, { reason: 'late' });
    expect(await db.transaction(late)).toBe(0);
    expect((await storedRenewals(db, fqdn.id)).map(({ reason }) => reason)).toEqual([null]);
  });
});

/** What was logged about the ends of renewals. */
function endsOf(app: TestApp): unknown[] {
  const events = app.logged().map(({ event }) => event);
  return events.filter((event) => event === 'renewal.unexpected_error' || event === 'renewal.released');
}
