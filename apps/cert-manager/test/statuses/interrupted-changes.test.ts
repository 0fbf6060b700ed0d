import { setTimeout as pause } from 'node:timers/promises';
import type { Fqdn, FqdnChangeResult } from '@certloop/contracts';
import type { Database } from '@certloop/db';
import { describeEachDialect, type TestDatabase } from '@certloop/db/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { actOnUpdate } from '../support/act-on-update.js';
import { beginLife, deathOf } from '../support/dying-process.js';
import { addToken, grant } from '../support/factories.js';
import { addFqdn, addSpace, auditEntries } from '../support/inventory.js';
import { seedListed } from '../support/large-place.js';
import type { Person } from '../support/people.js';
import { type RenewalPlace, startRenewing } from '../support/renewals.js';

describeEachDialect('a change of many FQDNs', (open) => {
  let place: RenewalPlace;
  let made: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    place = await startRenewing(async (...given) => {
      made = await open(...given);
      return made;
    });
    database = place.app.database;
  });
  afterAll(() => place.close());
  beforeEach(() => database.transaction((tx) => tx.query("delete from fqdns where fqdn like 'host-%'")));

  /** A space of `count` FQDNs beside the one that they are copies of. */
  const fill = async (count: number) => {
    const { id: spaceId } = await addSpace(place.app);
    const first = await addFqdn(place.app, spaceId, 'first.example.org');
    await seedListed(database, first.id, count);
    return { spaceId, filter: { spaceId, q: 'host-' } };
  };
  const send = (body: object, person: Person = place.app.people.ada) =>
    place.app.request
      .post('/fqdns/bulk')
      .set(person.auth)
      .send({ dryRun: false, ...body });
  const change = async (body: object, person?: Person): Promise<FqdnChangeResult> =>
    (await send(body, person).expect(200)).body;
  const switched = async (spaceId: string) => {
    const text = `select id from fqdns where space_id = '${spaceId}' and renewal_enabled = true`;
    return (await database.read((tx) => tx.query(text))).length;
  };
  const audited = async (spaceId: string) => {
    const text = `select id from audit_logs where space_id = '${spaceId}' and action = 'fqdn.renewal'`;
    return (await database.read((tx) => tx.query(text))).length;
  };

  test('keeps complete transactions if its process is killed; repeating the call completes it', async () => {
    const { spaceId, filter } = await fill(220);
    const asked = { filter, action: 'renewal-on' };
    const undo = await hangAt(database, 'host-150.example.test');
    const child = beginLife({
      databaseUrl: made.url,
      environment: { ENCRYPTION_KEYS: `one:${Buffer.alloc(32, 7).toString('base64')}` },
      now: place.app.clock.now(),
      work: {
        path: '/fqdns/bulk',
        auth: place.app.people.ada.auth,
        body: { ...asked, dryRun: false },
      },
    });
    while ((await switched(spaceId)) === 0) await pause(20);
    child.kill('SIGKILL');
    expect(await deathOf(child)).toBe('SIGKILL');
    await undo();
    expect([await switched(spaceId), await audited(spaceId)]).toEqual([100, 100]);
    expect(await change(asked)).toEqual({ matched: 220, changed: 120, unchanged: 100, skipped: [] });
    expect([await switched(spaceId), await audited(spaceId)]).toEqual([220, 220]);
  });

  test('concurrent with others changes each FQDN once, and consecutive audit entries match', async () => {
    const { spaceId, filter } = await fill(220);
    const results = await Promise.all([1, 2, 3].map(() => change({ filter, action: 'renewal-on' })));
    expect(results.map(({ changed, unchanged }) => changed + unchanged)).toEqual([220, 220, 220]);
    expect(results.reduce((sum, { changed }) => sum + changed, 0)).toBe(220);
    expect([await switched(spaceId), await audited(spaceId)]).toEqual([220, 220]);

    await Promise.all(
      ['renewal-off', 'renewal-on', 'renewal-off'].map((action) => change({ filter, action })),
    );
    const entries = (await auditEntries(place.app, 'fqdn.renewal')).filter(
      (entry) => entry.spaceId === spaceId,
    );
    const state = new Map<string, boolean>();
    for (const { resourceId, details } of entries) {
      const { before, after } = details as Record<'before' | 'after', Pick<Fqdn, 'renewalEnabled'>>;
      expect(before.renewalEnabled).toBe(state.get(resourceId) ?? false);
      expect(after.renewalEnabled).toBe(!before.renewalEnabled);
      state.set(resourceId, after.renewalEnabled);
    }
    const on = [...state.values()].filter(Boolean).length;
    expect(await switched(spaceId)).toBe(on);
  });

  test('stops when its caller loses the permission', async () => {
    const { app } = place;
    const { spaceId, filter } = await fill(220);
    const { ben } = app.people;
    await grant(app, ben, 'READ_WRITE', [spaceId]);
    const token = await addToken(app, ben.id, { expiresAt: new Date('2100-01-01T00:00:00Z') });
    const lasting = { ...ben, auth: { Authorization: `Bearer ${token}` } };
    const leave = `delete from permission_group_members where user_id = '${ben.id}'`;
    const undo = await actOnUpdate(database, 'host-50.example.test', { sqlite: leave, postgres: leave });
    const { changed, skipped } = await change({ filter, action: 'renewal-on' }, lasting);
    await undo();
    expect([changed, skipped.length]).toEqual([100, 100]);
    expect(skipped[0]).toMatchObject({ reason: 'this needs READ_WRITE on the space' });
    expect([await switched(spaceId), await audited(spaceId)]).toEqual([100, 100]);
    expect(await change({ filter, action: 'renewal-on' }, lasting)).toMatchObject({ matched: 0 });
  });
});

/** Makes the update of this FQDN last until its process is killed; returns how to undo that then. */
async function hangAt(database: Database, fqdn: string): Promise<() => Promise<void>> {
  if (database.dialect.name === 'sqlite') {
    const endless = 'with recursive n(i) as (select 1 union all select i + 1 from n) select i from n';
    await database.transaction((tx) => tx.query(`create view endless as ${endless}`));
  }
  const hang = { sqlite: 'select count(*) from endless', postgres: 'perform pg_sleep(3600)' };
  const undo = await actOnUpdate(database, fqdn, hang);
  return async () => {
    // the server notices only later that no one waits for it any more
    const end = `select pg_terminate_backend(pid, 10000) from pg_stat_activity
      where wait_event = 'PgSleep' and datname = current_database()`;
    if (database.dialect.name === 'postgres') await database.transaction((tx) => tx.query(end));
    await undo();
  };
}
