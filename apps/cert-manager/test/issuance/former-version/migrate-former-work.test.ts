import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Fqdn } from '@certloop/contracts';
import { until } from '@certloop/contracts/testing';
import { findRows, insertMany } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { builtInCaller, internalOrigin } from '../../../src/access/caller.js';
import { findLatestCsr } from '../../../src/csrs/csrs.repository.js';
import { issuances } from '../../../src/issuance/signing/issuances.repository.js';
import { signingRequests } from '../../../src/issuance/signing/signing-requests.repository.js';
import { pendingRequest } from '../../../src/renewals/renewal-journal.js';
import { findOpenRenewal, updateRenewal } from '../../../src/renewals/renewals.repository.js';
import { type OrderingPlace, startOrdering } from '../../support/acme/ordering-place.js';
import { beginLife, deathOf } from '../../support/dying-process.js';
import { pathOf } from '../../support/inventory.js';
import { certificatesOf, renewedFqdn, storedRenewals } from '../../support/renewals.js';
import type { Migrating } from './migrating-process.fixture.js';

const minute = 60_000;
const program = fileURLToPath(new URL('./migrating-process.fixture.js', import.meta.url));

/** How a process of its own ended that migrated. */
function migrate(life: Migrating): Promise<string> {
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'ignore', 'pipe'] });
  child.stdin.end(JSON.stringify(life));
  return deathOf(child);
}

describeEachDialect('work of the version before', (open) => {
  let place: OrderingPlace;
  beforeAll(async () => {
    place = await startOrdering(open, {});
    // migrations of processes go by the clock of the machine
    place.app.clock.set(new Date());
  });
  afterAll(() => place.close());

  const later = (minutes: number) => new Date(place.app.clock.now().getTime() + minutes * minute);

  /** A job whose process died after it had sent the CSR for an order. */
  async function leaveJob(fqdn: Fqdn) {
    const { app, environment } = place;
    const path = `${pathOf(fqdn, 'request-certificate')}?wait=60`;
    const work = { path, auth: app.people.ada.auth, body: { confirmed: true } };
    const { databaseUrl, clock } = app;
    const child = beginLife({ databaseUrl, environment, now: clock.now(), work, deadly: 'finalized' });
    expect(await deathOf(child)).toBe('SIGKILL');
    const [job] = await app.database.read((tx) => findRows(tx, issuances, { fqdnId: fqdn.id }));
    if (job === undefined) throw new Error('there is no job');
    return job;
  }

  /** A call and a renewal whose process died after the CA had issued: both in the former table, the renewal also in its journal. */
  async function leaveRequests(fqdn: Fqdn) {
    const { app, ca, providerId } = place;
    const csr = await app.database.read((tx) => findLatestCsr(tx, fqdn.id));
    if (csr === undefined) throw new Error('there is no CSR');
    const { id: csrId, spkiSha256, csrPem } = csr;
    const { id: fqdnId, spaceId, fqdn: name } = fqdn;
    const common = { fqdnId, spaceId, fqdn: name, csrId, spkiSha256, providerId, attempt: 0 };
    const requests = (['cli', 'scheduler'] as const).map((kind) => ({
      ...common,
      id: randomUUID(),
      idempotencyKey: `key of ${kind}`,
      caller: builtInCaller(kind, internalOrigin('before')),
      leaseUntil: later(3),
      createdAt: app.clock.now(),
    }));
    const [call, renewal] = requests;
    if (call === undefined || renewal === undefined) throw new Error('there are two');
    for (const { idempotencyKey } of requests) {
      // as the provider sends it
      const headers = { 'idempotency-key': `${idempotencyKey}.30` };
      const body = JSON.stringify({ csr: Buffer.from(csrPem).toString('base64'), validity_days: 30 });
      await fetch(`${ca.url}/csr`, { method: 'POST', headers, body });
    }
    const journal = { csrId, providerId, ...pendingRequest(renewal.idempotencyKey, renewal.id) };
    const claimed = { status: 'processing', leaseOwner: 'before', leaseUntil: later(2), journal } as const;
    const stored = requests.map(({ idempotencyKey: wish, ...row }) => ({ ...row, wish }));
    await app.database.transaction(async (tx) => {
      await insertMany(tx, signingRequests, stored);
      const entry = await findOpenRenewal(tx, fqdnId);
      if (entry !== undefined) await updateRenewal(tx, entry, claimed);
    });
    return { call, renewal };
  }

  const read = async ({ id: fqdnId }: Fqdn) => ({
    requests: await place.app.database.read((tx) => findRows(tx, signingRequests, { fqdnId })),
    renewals: await storedRenewals(place.app.database, fqdnId),
  });
  const direct = ({ id: fqdnId }: Fqdn) =>
    place.app.database.read((tx) => findRows(tx, issuances, { fqdnId, isOrder: false }));

  test('of each former table for one FQDN is migrated once and obtains each certificate once', async () => {
    const { app, ca, acme } = place;
    const { database, databaseUrl } = app;
    const fqdn = await renewedFqdn(place);
    const job = await leaveJob(fqdn);
    for (const _ of ['0042-jobs', '0041-issuances']) await database.revertLast();
    const { call, renewal } = await leaveRequests(fqdn);
    const before = await read(fqdn);
    const issued = ca.ids.length;

    for (const deadly of ['copied', 'moved'] as const) {
      expect(await migrate({ databaseUrl, deadly })).toBe('SIGKILL');
      expect(await database.pendingMigrations()).toEqual(['0041-issuances', '0042-jobs']);
    }
    const both = [migrate({ databaseUrl }), migrate({ databaseUrl })];
    expect(await Promise.all(both)).toEqual(['exit code 0: ', 'exit code 0: ']);
    expect(await database.pendingMigrations()).toEqual([]);

    expect(await read(fqdn)).toEqual(before);
    const jobs = () => database.read((tx) => findRows(tx, issuances, { fqdnId: fqdn.id, isOrder: true }));
    const moved = { ...job, idempotencyKey: job.id, leaseUntil: expect.any(Date) };
    expect(await jobs()).toEqual([moved]);
    expect(await direct(fqdn)).toEqual([]);

    // the process before may still extend its lease
    app.clock.advance(minute);
    await app.takeUpJobs();
    expect(await jobs()).toEqual([moved]);
    expect(await app.renew()).toMatchObject({ lapsed: 0, renewed: 0, failed: [] });

    app.clock.advance(10 * minute);
    ca.answer('with a fault');
    await app.takeUpJobs();
    await until(async () => (await jobs())[0]?.state === 'issued');
    expect(await app.renew()).toMatchObject({ lapsed: 1, renewed: 0, failed: [{}] });
    await app.recoverSigning();
    expect((await read(fqdn)).requests).toEqual([]);
    const keys = (await direct(fqdn)).map(({ id, state, cause, idempotencyKey }) => [
      id,
      state,
      cause,
      idempotencyKey,
    ]);
    expect(keys.toSorted()).toEqual(
      [
        [call.id, 'unknown', 'sign', call.idempotencyKey],
        [renewal.id, 'unknown', 'renewal', renewal.idempotencyKey],
      ].toSorted(),
    );

    ca.answer('normally');
    app.clock.advance(10 * minute);
    await app.recoverSigning();
    expect(await direct(fqdn)).toEqual([]);
    expect([ca.ids.length - issued, acme.orders.length, acme.csrs.length]).toEqual([0, 1, 1]);
    expect(await certificatesOf(app, fqdn)).toHaveLength(4);
  });
});
