import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Fqdn } from '@certloop/contracts';
import { until } from '@certloop/contracts/testing';
import { executeSql, findRows } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { builtInCaller, internalOrigin } from '../../../src/access/caller.js';
import { findLatestCsr } from '../../../src/csrs/csrs.repository.js';
import { schema } from '../../../src/database.js';
import { issuances } from '../../../src/issuance/signing/issuances.repository.js';
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

const first = schema.migrations.findIndex(({ name }) => name === '0041-issuances');
const migrations = schema.migrations.slice(first).map(({ name }) => name);

describeEachDialect('work of a version before 0041-issuances', (open) => {
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

  /** A call and a renewal whose process died after the CA had issued: both in the former table, the renewal also in its entry. */
  async function leaveRequests(
    fqdn: Fqdn,
    ids: Readonly<Record<'cli' | 'scheduler', string>>,
  ): Promise<void> {
    const { app, ca, providerId } = place;
    const csr = await app.database.read((tx) => findLatestCsr(tx, fqdn.id));
    if (csr === undefined) throw new Error('there is no CSR');
    const { id: csrId, spkiSha256, csrPem } = csr;
    const { id: fqdnId, spaceId, fqdn: name } = fqdn;
    const requests = (['cli', 'scheduler'] as const).map((kind) => ({
      id: ids[kind],
      idempotencyKey: `key of ${kind}`,
      caller: { ...builtInCaller(kind, internalOrigin('before')) },
    }));
    for (const { idempotencyKey } of requests) {
      // as the provider sends it
      const headers = { 'idempotency-key': `${idempotencyKey}.30` };
      const body = JSON.stringify({ csr: Buffer.from(csrPem).toString('base64'), validity_days: 30 });
      await fetch(`${ca.url}/csr`, { method: 'POST', headers, body });
    }
    await app.database.transaction(async (tx) => {
      for (const { id, idempotencyKey, caller } of requests)
        await executeSql(
          tx,
          `insert into signing_requests (id, space_id, fqdn_id, fqdn, csr_id, spki_sha256, provider_id, wish, caller,
            attempt, lease_until, created_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0, $10, $11)`,
          [
            ...[id, spaceId, fqdnId, name, csrId, spkiSha256, providerId, idempotencyKey, caller],
            ...[later(3), app.clock.now()],
          ],
        );
    });
  }

  /** Has the renewal claimed by a process of the version before, which asked its CA by the request. */
  const claimBefore = (fqdn: Fqdn, requestId: string) =>
    place.app.database.transaction(async (tx) => {
      const entry = await findOpenRenewal(tx, fqdn.id);
      const journal = { requestId };
      const claimed = { status: 'processing', leaseOwner: 'before', leaseUntil: later(2), journal } as const;
      if (entry !== undefined) await updateRenewal(tx, entry, claimed);
    });

  const direct = ({ id: fqdnId }: Fqdn) =>
    place.app.database.read((tx) => findRows(tx, issuances, { fqdnId, isOrder: false }));
  const keysOf = async (fqdn: Fqdn) =>
    (await direct(fqdn))
      .map(({ id, state, cause, idempotencyKey }) => [id, state, cause, idempotencyKey])
      .toSorted();

  test('of each former table for one FQDN is migrated once and obtains each certificate once', async () => {
    const { app, ca, acme } = place;
    const { database, databaseUrl } = app;
    const fqdn = await renewedFqdn(place);
    const job = await leaveJob(fqdn);
    const [callId, renewalId] = [randomUUID(), randomUUID()];
    await claimBefore(fqdn, renewalId);
    const before = await storedRenewals(database, fqdn.id);
    for (const _ of migrations) await database.revertLast();
    await leaveRequests(fqdn, { cli: callId, scheduler: renewalId });
    const issued = ca.ids.length;

    for (const deadly of ['copied', 'moved'] as const) {
      expect(await migrate({ databaseUrl, deadly })).toBe('SIGKILL');
      expect(await database.pendingMigrations()).toEqual(migrations);
    }
    const both = [migrate({ databaseUrl }), migrate({ databaseUrl })];
    expect(await Promise.all(both)).toEqual(['exit code 0: ', 'exit code 0: ']);
    expect(await database.pendingMigrations()).toEqual([]);

    expect(await storedRenewals(database, fqdn.id)).toEqual(before);
    const jobs = () => database.read((tx) => findRows(tx, issuances, { fqdnId: fqdn.id, isOrder: true }));
    const moved = { ...job, idempotencyKey: job.id, leaseUntil: expect.any(Date) };
    expect(await jobs()).toEqual([moved]);
    const requests = [
      [callId, 'unknown', 'sign', 'key of cli'],
      [renewalId, 'unknown', 'renewal', 'key of scheduler'],
    ].toSorted();
    expect(await keysOf(fqdn)).toEqual(requests);

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
    expect(await keysOf(fqdn)).toEqual(requests);

    ca.answer('normally');
    app.clock.advance(10 * minute);
    await app.recoverSigning();
    expect(await direct(fqdn)).toEqual([]);
    expect([ca.ids.length - issued, acme.orders.length, acme.csrs.length]).toEqual([0, 1, 1]);
    expect(await certificatesOf(app, fqdn)).toHaveLength(4);
  });
});
