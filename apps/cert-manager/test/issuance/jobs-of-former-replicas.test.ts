import { randomUUID } from 'node:crypto';
import { capabilitiesOf, executeSql, findRow, insertMany, querySql, type Tx } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { issuances } from '../../src/issuance/signing/issuances.repository.js';
import { startApp, type TestApp } from '../support/app.js';
import { fqdnWithCsr, providerOf } from '../support/signing.js';

/** A row of the table `issuance_jobs` as the version before wrote it. */
interface FormerJob {
  readonly id: string;
  readonly status: string;
  readonly attempt: number;
  readonly leaseUntil: Date | null;
  readonly url: string;
}

const { id, attempt, leaseUntil } = issuances.columns;
const formerColumns = { id, attempt, leaseUntil, status: issuances.columns.message };

describeEachDialect('jobs of replicas of the version before', (open) => {
  let app: TestApp;
  let providerId: string;
  let lease: Date;
  beforeAll(async () => {
    app = await startApp(open);
    ({ id: providerId } = await providerOf(app, 'acme'));
    lease = new Date(app.clock.now().getTime() + 60_000);
  });
  beforeEach(() => app.database.transaction((tx) => executeSql(tx, 'delete from issuances')));
  afterAll(() => app.close());

  const hasView = () => app.database.read(async (tx) => capabilitiesOf(tx).hasConcurrentWriters);

  /** Inserts a job of an FQDN of its own by the words of that version. */
  async function insertFormer(status: string, leaseUntil: Date | null): Promise<FormerJob> {
    const { fqdn, csr } = await fqdnWithCsr(app);
    const job = { id: randomUUID(), status, attempt: 3, leaseUntil, url: `https://ca/order/${randomUUID()}` };
    const at = app.clock.now();
    await app.database.transaction((tx) =>
      executeSql(
        tx,
        `insert into issuance_jobs (id, fqdn_id, space_id, csr_id, provider_id, kind, status, caller, steps,
          order_state, is_confirmed, replaces_id, certificate_id, message, attempt, lease_until, created_at, finished_at)
         values ($1, $2, $3, $4, $5, 'request', $6, $7, $8, $9, $10, null, null, 'm', $11, $12, $13, null)`,
        [
          ...[job.id, fqdn.id, fqdn.spaceId, csr.id, providerId, status],
          ...[{ kind: 'user' }, {}, { url: job.url, isFinalizing: true }, true, job.attempt, leaseUntil, at],
        ],
      ),
    );
    return job;
  }

  const issuanceOf = (job: FormerJob) => app.database.read((tx) => findRow(tx, issuances, { id: job.id }));

  /** Claims the FQDN of a job for a request of another cause. */
  async function runOther(job: FormerJob): Promise<void> {
    const row = await issuanceOf(job);
    if (row === undefined) throw new Error('the job is gone');
    const other = {
      id: randomUUID(),
      cause: 'sign',
      isOrder: false,
      state: 'running',
      leaseUntil: lease,
    } as const;
    await app.database.transaction((tx) => insertMany(tx, issuances, [{ ...row, ...other, nextAt: null }]));
  }

  const cases: [status: string, hasLease: boolean, state: string][] = [
    ['running', true, 'running'],
    ['running', false, 'queued'],
    ['waiting', false, 'waiting'],
    ['completed', false, 'issued'],
    ['failed', false, 'failed'],
    ['failed', true, 'unknown'],
  ];

  test('are moved with their orders and keys, and back', async () => {
    await app.database.revertLast();
    const jobs: [FormerJob, string][] = [];
    for (const [status, hasLease, state] of cases)
      jobs.push([await insertFormer(status, hasLease ? lease : null), state]);
    await app.database.migrate();
    for (const [{ id, attempt, url, leaseUntil }, state] of jobs) {
      const isAgain = state === 'queued' || state === 'unknown';
      const row = await app.database.read((tx) => findRow(tx, issuances, { id }));
      expect(row).toMatchObject({ id, attempt, state, cause: 'request', isOrder: true, idempotencyKey: id });
      expect(row).toMatchObject({ orderUrl: url, orderState: { url }, fqdn: 'www.example.org' });
      expect(row?.leaseUntil).toEqual(state === 'running' ? leaseUntil : null);
      expect(row?.nextAt).toEqual(isAgain ? (leaseUntil ?? app.clock.now()) : null);
    }
    await app.database.revertLast();
    const back = await app.database.read((tx) => formerOf(tx));
    expect(back).toHaveLength(cases.length);
    for (const [{ id, status, attempt }] of jobs)
      expect(back).toContainEqual({ ...oneOf(back, id), status, attempt });
    await app.database.migrate();
  });

  const formerOf = (tx: Tx) =>
    querySql(tx, formerColumns, 'select id, attempt, lease_until, status from issuance_jobs');
  const oneOf = (rows: readonly { readonly id: string }[], id: string) => rows.find((row) => row.id === id);
  const writeFormer = (job: FormerJob, set: string, values: readonly (Date | number | null)[] = []) =>
    app.database.transaction((tx) =>
      executeSql(tx, `update issuance_jobs set ${set} where id = $1 and attempt = $2 and status = $3`, [
        job.id,
        job.attempt,
        job.status,
        ...values,
      ]),
    );

  test('are read and written beside replicas of this version', async () => {
    // on SQLite no process of the version before runs beside this one
    if (!(await hasView())) return;
    for (const [status, hasLease, state] of cases) {
      const job = await insertFormer(status, hasLease ? lease : null);
      expect(await issuanceOf(job)).toMatchObject({ state, orderUrl: job.url });
      const leaseUntil = status === 'running' ? expect.any(Date) : job.leaseUntil;
      expect(oneOf(await app.database.read(formerOf), job.id)).toMatchObject({
        status,
        attempt: 3,
        leaseUntil,
      });
    }
    const job = await insertFormer('running', lease);
    const later = new Date(lease.getTime() + 60_000);
    expect(await writeFormer(job, 'lease_until = $4', [later])).toBe(1);
    expect((await issuanceOf(job))?.leaseUntil).toEqual(later);
    expect(await writeFormer({ ...job, attempt: 2 }, 'lease_until = $4', [lease])).toBe(0);
    expect(await writeFormer(job, "status = 'failed', lease_until = $4", [later])).toBe(1);
    expect(await issuanceOf(job)).toMatchObject({ state: 'unknown', leaseUntil: null, nextAt: later });
    expect(await writeFormer(job, "status = 'completed', lease_until = null")).toBe(0);
    const failed = { ...job, status: 'failed' };
    expect(
      await writeFormer(failed, "status = 'running', attempt = attempt + 1, lease_until = $4", [later]),
    ).toBe(1);
    expect(await issuanceOf(job)).toMatchObject({
      state: 'running',
      attempt: 4,
      leaseUntil: later,
      nextAt: null,
    });
    const deleted = () =>
      app.database.transaction((tx) => executeSql(tx, 'delete from issuance_jobs where id = $1', [job.id]));
    expect([await deleted(), await deleted()]).toEqual([1, 0]);
  });

  test('wait if their FQDN has another running request', async () => {
    if (!(await hasView())) return;
    const first = await insertFormer('waiting', null);
    await runOther(first);
    expect(await writeFormer(first, "status = 'running', lease_until = $4", [lease])).toBe(1);
    expect(await issuanceOf(first)).toMatchObject({ state: 'queued', leaseUntil: null, nextAt: lease });
    const running = { ...first, status: 'running' };
    expect(await writeFormer(running, "status = 'completed', lease_until = null")).toBe(1);
    expect(await issuanceOf(first)).toMatchObject({ state: 'issued', nextAt: null });
  });
});
