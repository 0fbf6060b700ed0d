import type { Fqdn } from '@certloop/contracts';
import { column, querySql } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { outlookInSql } from '../../src/migrations/0029-standings.js';
import { stateAt } from '../../src/statuses/computed-status.js';
import { fqdnStatuses, noDate } from '../../src/statuses/statuses.repository.js';
import type { TestApp } from '../support/app.js';
import { addCsr, addFqdn, addSpace, pathOf } from '../support/inventory.js';
import {
  certificatesOf,
  clearInventory,
  issuedFqdn,
  moveToRenewal,
  openEntryOf,
  type RenewalPlace,
  renewedFqdn,
  signWith,
  startRenewing,
  switchRenewal,
} from '../support/renewals.js';
import { fqdnWithCsr, newCsr } from '../support/signing.js';

const day = 86_400_000;

describeEachDialect('the stored state of an FQDN', (open) => {
  let place: RenewalPlace;
  let app: TestApp;
  beforeAll(async () => {
    place = await startRenewing(open);
    app = place.app;
  });
  afterEach(async () => {
    place.ca.answer('normally');
    await expectRight();
    await clearInventory(app);
    expect(await app.database.read((tx) => tx.count(fqdnStatuses))).toBe(0);
  });
  afterAll(() => place.close());

  /** What was written at each change is what the sweep finds by the facts, and what the migration would write. */
  async function expectRight(): Promise<void> {
    const text = `select f.id, s.outlook, ${outlookInSql} as in_sql from fqdns f
      join fqdn_standings s on s.id = f.id
      left join certificates c on c.fqdn_id = f.id and c.replaced_at is null
      left join renewal_queue q on q.fqdn_id = f.id and q.is_test = false and q.status in ('pending', 'processing')`;
    const columns = { id: column.uuid(), outlook: column.word(16), inSql: column.word(16) };
    for (const { outlook, inSql } of await app.database.read((tx) => querySql(tx, columns, text)))
      expect(inSql).toBe(outlook);
    await app.sweepStatuses();
    expect(app.logged().filter(({ event }) => event === 'standings.corrected')).toEqual([]);
  }
  async function rowOf({ id }: Fqdn) {
    const row = await app.database.read((tx) => tx.findOneBy(fqdnStatuses, { id }));
    if (row === null) throw new Error('the FQDN has no status');
    return row;
  }
  const stateOf = async (fqdn: Fqdn) => stateAt(await rowOf(fqdn), app.clock.now());
  const put = (fqdn: Fqdn, what: string, body: object) =>
    app.request.put(pathOf(fqdn, what)).set(app.people.ada.auth).send(body).expect(200);
  const newestOf = async (fqdn: Fqdn) => (await certificatesOf(app, fqdn)).at(-1);

  test('follows its provider, which is disabled and enabled again', async () => {
    const fqdn = await renewedFqdn(place);
    const other = await renewedFqdn(place, 'off.example.org');
    await switchRenewal(app, other, false);
    const path = `/providers/${place.providerId}/enabled`;
    for (const [enabled, outlook] of [
      [false, 'provider_off'],
      [true, 'planned'],
    ] as const) {
      await app.request.put(path).set(app.people.ada.auth).send({ enabled }).expect(200);
      const renewAt = new Date((await openEntryOf(app, fqdn)).scheduledAt);
      expect(await rowOf(fqdn)).toMatchObject({ outlook, renewAt });
      expect(await rowOf(other)).toMatchObject({ outlook: 'switched_off' });
      await expectRight();
    }
  });

  test('is unfinished until it has a certificate, and never renewed', async () => {
    const { fqdn } = await fqdnWithCsr(app, 'new.example.org');
    expect(await rowOf(fqdn)).toMatchObject({
      spaceId: fqdn.spaceId,
      fqdn: 'new.example.org',
      outlook: 'no_certificate',
      certificateId: null,
      expiresAt: noDate,
      renewAt: noDate,
      attentionAt: noDate,
      problem: null,
    });
    await signWith(place, fqdn);
    const newest = await newestOf(fqdn);
    expect(await rowOf(fqdn)).toMatchObject({
      certificateId: newest?.id,
      expiresAt: new Date(String(newest?.expiresAt)),
      providerId: place.providerId,
      renewAt: noDate,
    });
    expect(await stateOf(fqdn)).toBe('valid');
  });

  test('has the Unicode spelling of its name', async () => {
    const { id } = await addSpace(app);
    expect(await rowOf(await addFqdn(app, id, 'bücher.example.org'))).toMatchObject({
      fqdn: 'xn--bcher-kva.example.org',
      unicodeName: 'bücher.example.org',
    });
    expect(await rowOf(await addFqdn(app, id, '*.example.org'))).toMatchObject({ unicodeName: null });
  });

  test('follows the switch of its renewal, and the share of the lifetime', async () => {
    const fqdn = await renewedFqdn(place, 'switch.example.org');
    const { scheduledAt } = await openEntryOf(app, fqdn);
    expect(await rowOf(fqdn)).toMatchObject({ outlook: 'planned', renewAt: new Date(scheduledAt) });
    await switchRenewal(app, fqdn, true, { renewAfterFraction: 0.3 });
    const earlier = await openEntryOf(app, fqdn);
    expect((await rowOf(fqdn)).renewAt).toEqual(new Date(earlier.scheduledAt));
    expect(earlier.scheduledAt < scheduledAt).toBe(true);
    await switchRenewal(app, fqdn, false);
    expect(await rowOf(fqdn)).toMatchObject({ outlook: 'switched_off', renewAt: noDate });
  });

  test('with renewal off, becomes due, not while the expiry is accepted, and expires', async () => {
    const fqdn = await issuedFqdn(place, 'off.example.org');
    app.clock.advance(25 * day);
    expect(await stateOf(fqdn)).toBe('due');
    await put(fqdn, 'expiry-accepted', { accepted: true });
    expect(await stateOf(fqdn)).toBe('valid');
    const until = new Date(app.clock.now().getTime() + 2 * day);
    // the check is the same; the moment is another one
    await put(fqdn, 'expiry-accepted', { accepted: true, until: until.toISOString() });
    expect((await rowOf(fqdn)).attentionAt).toEqual(until);
    await put(fqdn, 'expiry-accepted', { accepted: false });
    expect(await stateOf(fqdn)).toBe('due');
    app.clock.advance(6 * day);
    expect(await stateOf(fqdn)).toBe('expired');
  });

  test('fails after a failed renewal, and recovers with the next one', async () => {
    const fqdn = await renewedFqdn(place, 'fails.example.org');
    await moveToRenewal(app, fqdn);
    place.ca.answer('with a refusal');
    expect((await app.renew()).failed).toHaveLength(1);
    const row = await rowOf(fqdn);
    expect(row).toMatchObject({
      problem: 'renewal',
      problemAt: app.clock.now(),
      attentionAt: app.clock.now(),
    });
    expect(row.renewAt).toEqual(new Date((await openEntryOf(app, fqdn)).scheduledAt));
    expect(row.problemReason).toEqual(expect.any(String));
    expect(await stateOf(fqdn)).toBe('failing');
    // with renewal off, the failure is of no concern
    await switchRenewal(app, fqdn, false);
    expect((await rowOf(fqdn)).problem).toBeNull();
    // nor when a first try is planned again
    await switchRenewal(app, fqdn, true);
    expect((await rowOf(fqdn)).problem).toBeNull();
    place.ca.answer('normally');
    await moveToRenewal(app, fqdn);
    await app.renew();
    expect(await rowOf(fqdn)).toMatchObject({ problem: null, certificateId: (await newestOf(fqdn))?.id });
    expect(await stateOf(fqdn)).toBe('valid');
  });

  test('is stored for all FQDNs that are renewed together', async () => {
    const fqdns: Fqdn[] = [];
    for (let count = 0; count < 5; count += 1)
      fqdns.push(await renewedFqdn(place, `host-${count}.example.org`));
    app.clock.advance(25 * day);
    expect(await app.renew()).toMatchObject({ renewed: 5 });
    for (const fqdn of fqdns) expect((await rowOf(fqdn)).certificateId).toBe((await newestOf(fqdn))?.id);
  });

  test('fails after a failed request, until a certificate is stored', async () => {
    const { fqdn } = await fqdnWithCsr(app, 'asked.example.org');
    place.ca.answer('with a refusal');
    await signWith(place, fqdn);
    expect(await rowOf(fqdn)).toMatchObject({ problem: 'request', attentionAt: app.clock.now() });
    expect(await stateOf(fqdn)).toBe('unfinished');
    place.ca.answer('normally');
    app.clock.advance(1000);
    await signWith(place, fqdn);
    expect(await rowOf(fqdn)).toMatchObject({ problem: null });
    expect(await stateOf(fqdn)).toBe('valid');
  });

  test('follows a newer CSR, and the deletion of all CSRs', async () => {
    const fqdn = await renewedFqdn(place, 'csr.example.org');
    const { attentionAt } = await rowOf(fqdn);
    await app.request.delete('/csrs?confirm=true').set(app.people.ada.auth).expect(200);
    expect(await rowOf(fqdn)).toMatchObject({ outlook: 'no_csr', renewAt: noDate, attentionAt });
    await addCsr(app, fqdn, await newCsr('csr.example.org'));
    expect(await rowOf(fqdn)).toMatchObject({ outlook: 'planned', attentionAt });
  });

  test('fails when the certificate is revoked', async () => {
    const fqdn = await issuedFqdn(place, 'revoked.example.org');
    const path = pathOf(fqdn, `certificates/${(await newestOf(fqdn))?.id}/revoke`);
    await app.request.post(path).set(app.people.ada.auth).send({ reason: 'superseded' }).expect(200);
    expect(await rowOf(fqdn)).toMatchObject({ problem: 'revoked' });
    expect(await stateOf(fqdn)).toBe('failing');
  });

  test('fails when the policy of the space forbids its renewal, and recovers', async () => {
    const fqdn = await renewedFqdn(place, 'forbidden.example.org');
    const set = async (providerIds: string[] | null) => {
      const path = `/spaces/${fqdn.spaceId}/issuance-policy`;
      await app.request.put(path).set(app.people.ada.auth).send({ providerIds, confirmed: true }).expect(200);
      await app.review();
    };
    await set([]);
    expect(await rowOf(fqdn)).toMatchObject({ problem: 'forbidden', outlook: 'forbidden' });
    await set(null);
    expect(await rowOf(fqdn)).toMatchObject({ problem: null, outlook: 'planned' });
  });

  test('is that of the last of many concurrent changes', async () => {
    const fqdn = await renewedFqdn(place, 'busy.example.org');
    const csrs = await Promise.all(Array.from({ length: 4 }, () => newCsr('busy.example.org')));
    await Promise.all([
      ...csrs.map((csr) => addCsr(app, fqdn, csr)),
      ...[0.2, 0.4, 0.6, 0.8].map((renewAfterFraction) =>
        switchRenewal(app, fqdn, true, { renewAfterFraction }),
      ),
      ...[1, 2].map(() => signWith(place, fqdn)),
    ]);
    expect((await rowOf(fqdn)).renewAt).toEqual(new Date((await openEntryOf(app, fqdn)).scheduledAt));
  });

  test('is corrected by the sweep after changes by a process of an earlier version', async () => {
    const fqdn = await renewedFqdn(place, 'mended.example.org');
    const other = await renewedFqdn(place, 'right.example.org');
    const [before, right] = [await rowOf(fqdn), await rowOf(other)];
    await app.database.transaction((tx) => tx.delete(fqdnStatuses, { id: fqdn.id }));
    app.clock.advance(1000);
    await app.sweepStatuses();
    expect(await rowOf(fqdn)).toEqual({ ...before, updatedAt: app.clock.now() });
    expect(await rowOf(other)).toEqual(right);
    const corrected = app.logged().filter(({ event }) => event === 'standings.corrected');
    expect(corrected).toMatchObject([{ corrected: 1 }]);
    (app.logged() as unknown[]).length = 0;
  });
});
