import { setTimeout as pause } from 'node:timers/promises';
import type { Certificate, Fqdn } from '@certloop/contracts';
import { executeSql } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { findJob, insertJob } from '../../src/issuance/jobs/issuance-jobs.repository.js';
import type { IssuanceRow } from '../../src/issuance/signing/issuances.repository.js';
import { type OrderingPlace, startOrdering } from '../support/acme/ordering-place.js';
import { beginLife, deathOf } from '../support/dying-process.js';
import { auditEntries, pathOf } from '../support/inventory.js';
import { addJob } from '../support/issuance.js';
import {
  addTestRenewal,
  certificatesOf,
  clearInventory,
  entriesOf,
  issuedFqdn,
  moveToRenewal,
  openEntryOf,
  renewedFqdn,
  signWith,
} from '../support/renewals.js';
import { configure, countOpenRequests, fqdnWithCsr } from '../support/signing.js';

const leaseMs = 120_000;

/** What the death of the process looks like to the renewal that is under way. */
class Death extends Error {}

describeEachDialect('a certificate that arrives twice for its FQDN', (open) => {
  let place: OrderingPlace;
  let isDeadly = false;
  beforeAll(async () => {
    const atStep = async (step: string) => {
      if (step !== 'answered' || !isDeadly) return;
      isDeadly = false;
      throw new Death(step);
    };
    place = await startOrdering(open, { renewals: { leaseMs, atStep } });
  });
  afterEach(() => clearInventory(place.app));
  afterAll(() => place.close());

  const dieRenewing = async () => {
    isDeadly = true;
    expect(await place.app.renew()).toMatchObject({ broken: 1 });
  };
  /** A CSR that the CA signed for a call of csr/sign that got no answer, as if its process had died. */
  const loseSigned = async () => {
    const { app, ca, providerId } = place;
    const { fqdn } = await fqdnWithCsr(app);
    const before = ca.ids.length;
    await configure(app, { id: providerId }, { baseUrl: ca.url, timeoutMs: 2000 }).expect(200);
    ca.answer('with silence');
    expect((await signWith(place, fqdn)).body).toMatchObject({ success: false });
    await ca.hasIssued(before + 1);
    ca.answer('normally');
    // longer than another process takes to start on a busy machine
    await configure(app, { id: providerId }, { baseUrl: ca.url, timeoutMs: 60_000 }).expect(200);
    return fqdn;
  };
  const takeOver = async () => {
    place.app.clock.advance(3 * leaseMs);
    await place.app.recoverSigning();
    expect(await countOpenRequests(place.app)).toBe(0);
  };
  const change = (text: string, { id }: Fqdn) =>
    place.app.database.transaction((tx) => executeSql(tx, text, [id]));

  const actions = ['csr.sign', 'certificate.issue', 'certificate.renew', 'certificate.import'] as const;
  /** The certificates of an FQDN, each of which is there once, and has one entry in the log. */
  const expectEachOnce = async (fqdn: Fqdn, count: number): Promise<Certificate[]> => {
    const stored = await certificatesOf(place.app, fqdn);
    const pems = stored.map(({ pem }) => pem);
    expect([pems.length, new Set(pems).size]).toEqual([count, count]);
    const entries = await Promise.all(actions.map((action) => auditEntries(place.app, action)));
    const own = entries.flat().filter(({ details }) => details['fqdnId'] === fqdn.id);
    expect(own.filter(({ outcome }) => outcome === 'success')).toHaveLength(count);
    return stored;
  };

  test('by two renewals of the same certificate, the first of which died, is stored once', async () => {
    const { app, ca } = place;
    const fqdn = await issuedFqdn(place);
    const before = ca.ids.length;
    const first = await addTestRenewal(app, fqdn);
    await dieRenewing();
    // due before the first one is taken back
    const second = await addTestRenewal(app, fqdn);
    app.clock.advance(leaseMs);
    expect(await app.renew()).toMatchObject({ renewed: 2, lapsed: 1, failed: [], broken: 0 });

    expect(ca.ids.length - before).toBe(1);
    await expectEachOnce(fqdn, 2);
    const entries = await entriesOf(app, fqdn);
    expect(entries.map(({ id, status }) => [id, status])).toEqual([
      [first, 'completed'],
      [second, 'completed'],
    ]);
  });

  test('by a planned renewal that died, and a faster test renewal, is stored and renewed once', async () => {
    const { app, ca } = place;
    const fqdn = await renewedFqdn(place);
    await moveToRenewal(app, fqdn);
    const before = ca.ids.length;
    await dieRenewing();
    await addTestRenewal(app, fqdn);
    app.clock.advance(leaseMs);
    expect(await app.renew()).toMatchObject({ renewed: 2, lapsed: 1, failed: [], broken: 0 });

    expect(ca.ids.length - before).toBe(1);
    const [, newest] = await expectEachOnce(fqdn, 2);
    expect(await openEntryOf(app, fqdn)).toMatchObject({ status: 'pending', certificateId: newest?.id });
  });

  test.each([
    ['for which its CA gave no id', 'update certificates set upstream_id = null where fqdn_id = $1'],
    ['that an earlier version stored', 'update certificates set leaf_sha256 = null where fqdn_id = $1'],
    ['whose provider was deleted', 'update certificates set provider_id = null where fqdn_id = $1'],
  ])('by a call whose response was lost and the next call, %s, is stored once', async (_, text) => {
    const fqdn = await loseSigned();
    await signWith(place, fqdn);
    await change(text, fqdn);
    await takeOver();
    await expectEachOnce(fqdn, 1);
  });

  test('by a call and the sweep at the same moment, is stored once', async () => {
    const { app, ca } = place;
    const fqdn = await loseSigned();
    app.clock.advance(3 * leaseMs);
    ca.answer('when let go');
    const before = ca.paths.length;
    const both = Promise.all([signWith(place, fqdn), app.recoverSigning()]);
    while (ca.paths.length < before + 2) await new Promise((resolve) => setImmediate(resolve));
    ca.answer('normally');
    const [{ body }] = await ca.letGoUntil(both);
    const [stored] = await expectEachOnce(fqdn, 1);
    expect(body).toMatchObject({ success: true, certificate: stored?.pem });
  });

  test('by a process that signs and one that takes over at the same moment, is stored once', async () => {
    const { app, ca, providerId } = place;
    const fqdn = await loseSigned();
    app.clock.advance(3 * leaseMs);
    ca.answer('when let go');
    const before = ca.paths.length;
    const path = pathOf(fqdn, 'csr/sign');
    const work = { path, auth: app.people.ada.auth, body: { providerId } };
    const asked = async (count: number) => {
      while (ca.paths.length < before + count) await pause(10);
    };
    // which has the lease and asks first: were the call first, nothing would be taken over
    const here = app.recoverSigning();
    await asked(1);
    const { environment } = place;
    const { databaseUrl, clock } = app;
    const child = beginLife({ databaseUrl, environment, now: clock.now(), work });
    await asked(2);
    ca.answer('normally');
    const settled = async () => {
      while ((await countOpenRequests(app)) > 0) await pause(10);
    };
    // on a busy machine the call may ask when the other one has waited for too long
    await ca.letGoUntil(Promise.all([here, settled()]));
    child.kill('SIGKILL');
    await deathOf(child);
    await expectEachOnce(fqdn, 1);
  });

  test('by a call whose response was lost, after an import, is stored once', async () => {
    const { app, ca } = place;
    const fqdn = await loseSigned();
    const answer = await fetch(`${ca.url}/certificate/${ca.ids.at(-1)}`);
    const { certificate: pem } = (await answer.json()) as { certificate: string };
    const path = pathOf(fqdn, 'certificates/import');
    await app.request.post(path).set(app.people.ada.auth).send({ pem }).expect(201);
    await takeOver();
    expect(await expectEachOnce(fqdn, 1)).toMatchObject([{ imported: true }]);
  });

  test('by two requests with the same order, is stored once, as the result of both', async () => {
    const { app, acme } = place;
    const { job, fqdn } = await addJob(app, { state: 'queued' });
    acme.forget();
    const ended = async ({ id }: IssuanceRow) => {
      for (;;) {
        const now = await app.database.read((tx) => findJob(tx, id));
        if (now?.state !== 'queued' && now?.state !== 'running') return now;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    };
    await app.takeUpJobs();
    const first = await ended(job);
    expect(first).toMatchObject({ state: 'issued' });
    const url = `${new URL(acme.directoryUrl).origin}/order/1`;
    const again: IssuanceRow = {
      ...job,
      id: crypto.randomUUID(),
      orderUrl: url,
      orderState: { url, isFinalizing: true },
    };
    await app.database.transaction((tx) => insertJob(tx, again));
    await app.takeUpJobs();
    expect(await ended(again)).toMatchObject({ state: 'issued', certificateId: first?.certificateId });
    expect(acme.csrs).toHaveLength(1);
    expect(await expectEachOnce(fqdn, 1)).toMatchObject([{ id: first?.certificateId }]);
  });
});
