import type { Fqdn } from '@certloop/contracts';
import { until } from '@certloop/contracts/testing';
import { executeSql } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { policyRefusals } from '../../src/fqdns/policy/policy-refusals.repository.js';
import { findDueReview, findSpacePolicy } from '../../src/fqdns/policy/space-policies.repository.js';
import { startAppOn, type TestApp } from '../support/app.js';
import { addSpace } from '../support/inventory.js';
import { startWatched, type WatchedPlace } from '../support/monitor/watched-place.js';
import {
  clearInventory,
  explanationOf,
  openEntryOf,
  type RenewalPlace,
  renewedFqdn,
} from '../support/renewals.js';

const names = { suffixes: ['allowed.test'], names: [], wildcards: false, cidrs: [], beyondFqdn: false };
const allowedOnly = { allowedNames: names };
const reason = expect.stringContaining('www.example.org is not allowed');

describeEachDialect('a default policy that changes with a restart', (open) => {
  let watched: WatchedPlace;
  let place: RenewalPlace;
  let app: TestApp;
  beforeAll(async () => {
    watched = await startWatched(open);
    ({ place } = watched);
    app = place.app;
  });
  afterEach(async () => {
    await (await startWith(undefined)).close();
    await app.review();
    await clearInventory(app);
    await app.watch();
  });
  afterAll(() => watched.close());

  /** Another process beside, with the default policy. */
  const startWith = (policy: object | undefined) =>
    startAppOn(app.database, {
      beside: app,
      environment: {
        ...watched.monitor.environment,
        DUMMY_CA_URL: place.ca.url,
        ...(policy !== undefined && { ISSUANCE_POLICY_DEFAULT: JSON.stringify(policy) }),
      },
    });
  const restartWith = async (policy: object | undefined) => {
    const started = await startWith(policy);
    await started.review();
    await started.close();
  };
  const putOwn = ({ spaceId }: Fqdn, body: object) =>
    app.request
      .put(`/spaces/${spaceId}/issuance-policy`)
      .set(app.people.ada.auth)
      .send({ ...body, confirmed: true })
      .expect(200);
  const signals = () =>
    watched.monitor
      .checks()
      .filter(({ settings }) => `${settings['slug']}`.startsWith('certloop-fqdn-'))
      .map(({ pings }) => pings.map(({ signal }) => signal));
  const refused = async () =>
    (await app.database.read((tx) => tx.find(policyRefusals, {}))).map(({ fqdnId }) => fqdnId);
  const isTransactionWaiting = () => {
    const text = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    return app.database.read(async (tx) => (await tx.query<unknown[]>(text)).length > 0);
  };
  const dueReview = () => app.database.read((tx) => findDueReview(tx, app.clock.now()));

  test('fails the checks of the names that it rejects at once, and they recover without it', async () => {
    const fqdn = await renewedFqdn(place);
    await app.watch();
    expect(signals()).toEqual([['success']]);
    await restartWith(allowedOnly);
    await app.watch();
    expect(signals()).toEqual([['success', 'fail']]);
    expect(await openEntryOf(app, fqdn)).toMatchObject({ status: 'pending', reason });
    expect(await explanationOf(app, fqdn)).toMatchObject({ outlook: 'forbidden', message: reason });
    await restartWith({ allowedNames: { ...names, suffixes: ['example.org'] } });
    await app.watch();
    expect(signals()).toEqual([['success', 'fail', 'success']]);
    await restartWith(allowedOnly);
    await restartWith(undefined);
    expect(await refused()).toEqual([]);
    expect(await explanationOf(app, fqdn)).toMatchObject({ outlook: 'scheduled', willRenew: true });
  });

  test('concerns the spaces whose own policy was removed, and no space that has one', async () => {
    const [own, removed, none] = [
      await renewedFqdn(place),
      await renewedFqdn(place),
      await renewedFqdn(place),
    ];
    await putOwn(own, { allowedNames: { ...names, suffixes: ['example.org'] } });
    await putOwn(removed, allowedOnly);
    await putOwn(removed, {});
    await app.review();
    expect(await refused()).toEqual([]);
    await restartWith(allowedOnly);
    expect((await refused()).sort()).toEqual([removed.id, none.id].sort());
    await putOwn(none, { allowedNames: { ...names, suffixes: ['example.org'] } });
    await app.review();
    expect(await refused()).toEqual([removed.id]);
  });

  test('is reviewed by other processes if the started one dies before, each space by one of them', async () => {
    const fqdns = [await renewedFqdn(place), await renewedFqdn(place), await renewedFqdn(place)];
    await app.watch();
    await (await startWith(allowedOnly)).close();
    const other = await startWith(allowedOnly);
    await Promise.all([app.review(), other.review()]);
    await other.close();
    expect((await refused()).sort()).toEqual(fqdns.map(({ id }) => id).sort());
    const spaceIds = fqdns.map(({ spaceId }) => spaceId);
    const reviewed = [app, other]
      .flatMap((process) => process.logged())
      .filter(({ event }) => event === 'policy.reviewed')
      .map(({ spaceId }) => `${spaceId}`);
    expect(reviewed.filter((spaceId) => spaceIds.includes(spaceId)).sort()).toEqual(spaceIds.sort());
    await app.watch();
    expect(signals()).toEqual(fqdns.map(() => ['success', 'fail']));
  });

  test('starts a process while another one deletes a space', async () => {
    const { database } = app;
    const [{ id: deleted }, { id: other }] = [await addSpace(app), await addSpace(app)];
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const starting = begun.then(() => startWith(allowedOnly));
    // for the deletion on PostgreSQL; on SQLite transactions take turns
    const waiting = begun.then(() => database.dialect.name === 'sqlite' || until(isTransactionWaiting));
    await database.transaction(async (tx) => {
      await executeSql(tx, 'delete from spaces where id = $1', [deleted]);
      begin();
      await waiting;
    });
    await (await starting).close();
    const [ofDeleted, ofOther] = await database.read(async (tx) => [
      await findSpacePolicy(tx, deleted),
      await findSpacePolicy(tx, other),
    ]);
    expect(ofDeleted).toBeUndefined();
    expect(ofOther?.reviewDueAt).toEqual(app.clock.now());
  });

  test('is reviewed again only after a change', async () => {
    await addSpace(app);
    await restartWith(allowedOnly);
    expect(await dueReview()).toBeUndefined();
    await (await startWith({ ...allowedOnly, providerIds: null })).close();
    expect(await dueReview()).toBeUndefined();
    await (await startWith({ providerIds: [place.providerId] })).close();
    expect(await dueReview()).toBeDefined();
  });
});
