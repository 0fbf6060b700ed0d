import { randomUUID } from 'node:crypto';
import { executeSql, findRow, insertMany, querySql, type Tx } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { issuances } from '../../../src/issuance/signing/issuances.repository.js';
import { type SuiteApp, startApp } from '../../support/app.js';
import { fqdnWithCsr, providerOf } from '../../support/signing.js';

const minute = 60_000;

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

describeEachDialect('jobs of a version before 0042-jobs', (open) => {
  let app: SuiteApp;
  let providerId: string;
  let lease: Date;
  beforeAll(async () => {
    app = await startApp(open);
    ({ id: providerId } = await providerOf(app, 'acme'));
    lease = new Date(app.clock.now().getTime() + minute);
  });
  beforeEach(() => app.database.transaction((tx) => executeSql(tx, 'delete from issuances')));
  afterAll(() => app.close());

  type Subject = Awaited<ReturnType<typeof fqdnWithCsr>>;

  /** Inserts a job of an FQDN by the words of that version. */
  async function insertFormer(
    { fqdn, csr }: Subject,
    status: string,
    leaseUntil: Date | null,
    isFinalizing = true,
  ): Promise<FormerJob> {
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
          ...[{ kind: 'user' }, {}, { url: job.url, isFinalizing }, true, job.attempt, leaseUntil, at],
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

  /** Goes back to the version before 0042-jobs, whose tables this version cannot write; `count` FQDNs are added before. */
  async function revert(count = 0): Promise<Subject[]> {
    const subjects: Subject[] = [];
    while (subjects.length < count) subjects.push(await fqdnWithCsr(app));
    while ((await app.database.pendingMigrations()).at(0) !== '0042-jobs') await app.database.revertLast();
    return subjects;
  }

  /** Migrates as a process whose clock is that of the application. */
  async function migrateNow(): Promise<void> {
    vi.useFakeTimers({ toFake: ['Date'], now: app.clock.now() });
    await app.database.migrate().finally(() => vi.useRealTimers());
  }

  test('are moved with their orders and keys, and back', async () => {
    const subjects = await revert(cases.length);
    const jobs: [FormerJob, string][] = [];
    for (const [index, [status, hasLease, state]] of cases.entries()) {
      const subject = subjects[index] as Subject;
      jobs.push([await insertFormer(subject, status, hasLease ? lease : null), state]);
    }
    await migrateNow();
    // an earlier process may still be at work
    const extended = new Date(app.clock.now().getTime() + 3 * minute);
    for (const [{ id, attempt, url, leaseUntil }, state] of jobs) {
      const isAgain = state === 'queued' || state === 'unknown';
      const row = await app.database.read((tx) => findRow(tx, issuances, { id }));
      expect(row).toMatchObject({ id, attempt, state, cause: 'request', isOrder: true, idempotencyKey: id });
      expect(row).toMatchObject({ orderUrl: url, orderState: { url }, fqdn: 'www.example.org' });
      expect(row?.leaseUntil).toEqual(state === 'running' ? extended : null);
      expect(row?.nextAt).toEqual(isAgain ? (leaseUntil ?? app.clock.now()) : null);
    }
    await revert();
    const back = await app.database.read((tx) => formerOf(tx));
    expect(back).toHaveLength(cases.length);
    for (const [{ id, status, attempt }] of jobs)
      expect(back).toContainEqual({ ...oneOf(back, id), status, attempt });
    await app.database.migrate();
  });

  test('are moved with longer leases, unless these are long enough', async () => {
    const [subject] = (await revert(1)) as [Subject];
    const long = await insertFormer(subject, 'running', new Date(app.clock.now().getTime() + 4 * minute));
    await migrateNow();
    expect(await issuanceOf(long)).toMatchObject({ state: 'running', leaseUntil: long.leaseUntil });
  });

  test('are moved to wait if their FQDN has another running request', async () => {
    const [subject] = (await revert(1)) as [Subject];
    const job = await insertFormer(subject, 'waiting', null);
    await app.database.migrate();
    await runOther(job);
    await revert();
    expect(await writeFormer(job, "status = 'running', lease_until = $4", [lease])).toBe(1);
    await migrateNow();
    const nextAt = new Date(app.clock.now().getTime() + 3 * minute);
    expect(await issuanceOf(job)).toMatchObject({ state: 'queued', leaseUntil: null, nextAt });
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
});
