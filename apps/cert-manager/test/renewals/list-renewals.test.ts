import type { Fqdn, RenewalQueueEntry } from '@certloop/contracts';
import { insertMany, newRowId } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEmit } from '../../src/changes/reactions.service.js';
import { sweepRenewals } from '../../src/renewals/queue/sweep-renewals.service.js';
import { type RenewalRow, renewalQueue } from '../../src/renewals/renewals.repository.js';
import { grant } from '../support/factories.js';
import { unknownId } from '../support/inventory.js';
import {
  addTestRenewal,
  openEntryOf,
  queueOf,
  type RenewalPlace,
  renewedFqdn,
  startRenewing,
  storedRenewals,
  switchRenewal,
} from '../support/renewals.js';

const day = 86_400_000;
const logger = { info: () => undefined } as never;

describeEachDialect('the renewal queue', (open) => {
  let place: RenewalPlace;
  let one: Fqdn;
  let other: Fqdn;
  let done: string;
  beforeAll(async () => {
    place = await startRenewing(open);
    one = await renewedFqdn(place);
    other = await renewedFqdn(place);
    done = await addTestRenewal(place.app, one);
    await place.app.renew();
    await addTestRenewal(place.app, other, 5);
    await addTestRenewal(place.app, one, 3);
  });
  afterAll(() => place.close());

  const ids = (entries: readonly RenewalQueueEntry[]) => entries.map(({ id }) => id);

  test('lists all entries, sorted by the time of their run', async () => {
    const entries = await queueOf(place.app);
    expect(entries).toHaveLength(5);
    const moments = entries.map(({ scheduledAt }) => scheduledAt);
    expect(moments).toEqual(moments.toSorted());
    expect(entries[0]).toMatchObject({ id: done, status: 'completed', isTest: true, fqdnId: one.id });
    expect(Object.keys(entries[0] ?? {}).sort()).toEqual([
      'attempt',
      'certificateId',
      'createdAt',
      'fqdnId',
      'id',
      'isTest',
      'scheduledAt',
      'spaceId',
      'status',
    ]);
  });

  test('filters by status, by space and by both, and bounds the list', async () => {
    const { app } = place;
    const all = await queueOf(app);
    const of = (keep: (entry: RenewalQueueEntry) => boolean) => ids(all.filter(keep));
    expect(ids(await queueOf(app, { status: 'pending' }))).toEqual(of(({ status }) => status === 'pending'));
    expect(ids(await queueOf(app, { status: 'failed' }))).toEqual([]);
    expect(ids(await queueOf(app, { spaceId: one.spaceId }))).toEqual(of(({ fqdnId }) => fqdnId === one.id));
    expect(ids(await queueOf(app, { spaceId: one.spaceId.toUpperCase(), status: 'completed' }))).toEqual([
      done,
    ]);
    expect(ids(await queueOf(app, { limit: '2' }))).toEqual(ids(all).slice(0, 2));
    expect(await queueOf(app, { spaceId: unknownId })).toEqual([]);
  });

  test.each([
    ['an unknown status', { status: 'done' }],
    ['a status in capitals', { status: 'PENDING' }],
    ['a space that is not a UUID', { spaceId: 'kitchen' }],
    ['limit 0', { limit: '0' }],
    ['limit 1001', { limit: '1001' }],
    ['a limit that is not a number', { limit: 'all' }],
  ])('refuses %s', async (_, query) => {
    await place.app.request.get('/renewal-queue').query(query).set(place.app.people.ada.auth).expect(400);
  });

  describe('shows', () => {
    test('nothing to callers without a permission', async () => {
      expect(await queueOf(place.app, {}, place.app.people.cleo)).toEqual([]);
      expect(await queueOf(place.app, { spaceId: one.spaceId }, place.app.people.cleo)).toEqual([]);
    });

    test('the entries of readable spaces, and no others', async () => {
      const { app } = place;
      await grant(app, app.people.ben, 'READ', [one.spaceId]);
      const mine = ids((await queueOf(app)).filter(({ spaceId }) => spaceId === one.spaceId));
      expect(ids(await queueOf(app, {}, app.people.ben))).toEqual(mine);
      expect(ids(await queueOf(app, { spaceId: one.spaceId }, app.people.ben))).toEqual(mine);
      expect(await queueOf(app, { spaceId: other.spaceId }, app.people.ben)).toEqual([]);
    });

    test('nothing to callers who have not signed in', async () => {
      await place.app.request.get('/renewal-queue').expect(401);
    });
  });

  test('is returned completely, however long it is', async () => {
    const { app } = place;
    const [row] = await storedRenewals(app.database, one.id);
    if (row === undefined) throw new Error('there is an entry');
    const now = app.clock.now();
    const rows = Array.from({ length: 3000 }, (_, index): RenewalRow => {
      const scheduledAt = new Date(now.getTime() + index);
      return { ...row, id: newRowId(now), isTest: true, status: 'failed', finishedAt: now, scheduledAt };
    });
    await app.database.transaction((tx) => insertMany(tx, renewalQueue, rows));
    expect(await queueOf(app, { status: 'failed' })).toHaveLength(3000);
  });
});

describeEachDialect('the sweep of the renewal queue', (open) => {
  let place: RenewalPlace;
  beforeAll(async () => {
    place = await startRenewing(open);
  });
  afterAll(() => place.close());

  const sweep = () => {
    const { database: db, clock } = place.app;
    return sweepRenewals({
      db,
      clock,
      logger,
      emit: createEmit({ clock, notices: undefined, watch: undefined }),
    });
  };

  test('plans each missing renewal once', async () => {
    const { app } = place;
    const fqdn = await renewedFqdn(place);
    const before = await openEntryOf(app, fqdn);
    await app.database.transaction((tx) => tx.delete(renewalQueue, { id: before.id }));
    await sweep();
    await sweep();
    const after = await openEntryOf(app, fqdn);
    expect(after).toMatchObject({ certificateId: before.certificateId, scheduledAt: before.scheduledAt });
  });

  test('plans nothing for FQDNs with renewal off, and plans renewals that an earlier version abandoned', async () => {
    const { app } = place;
    const off = await renewedFqdn(place);
    await switchRenewal(app, off, false);
    const givenUp = await renewedFqdn(place);
    const [row] = await storedRenewals(app.database, givenUp.id);
    const change = { status: 'failed' as const, reason: 'no', finishedAt: app.clock.now() };
    await app.database.transaction((tx) => tx.update(renewalQueue, { id: row?.id ?? '' }, change));
    await sweep();
    expect(await storedRenewals(app.database, off.id)).toEqual([]);
    expect((await storedRenewals(app.database, givenUp.id)).map(({ status }) => status).sort()).toEqual([
      'failed',
      'pending',
    ]);
  });

  test('deletes ended entries after 90 days, and no others', async () => {
    const { app } = place;
    const fqdn = await renewedFqdn(place);
    await addTestRenewal(app, fqdn);
    await app.renew();
    await addTestRenewal(app, fqdn, 60);
    app.clock.advance(90 * day);
    await sweep();
    expect((await storedRenewals(app.database, fqdn.id)).map(({ status }) => status).sort()).toEqual([
      'completed',
      'pending',
      'pending',
    ]);
    app.clock.advance(1000);
    await sweep();
    expect((await storedRenewals(app.database, fqdn.id)).map(({ status }) => status)).toEqual([
      'pending',
      'pending',
    ]);
  });
});
