import { randomUUID } from 'node:crypto';
import { until } from '@certloop/contracts/testing';
import {
  capabilitiesOf,
  executeSql,
  findRow,
  insertMany,
  type Migration,
  openDatabase,
  querySql,
  type Schema,
  type Tx,
} from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import { schema } from '../../src/database.js';
import { issuances } from '../../src/issuance/signing/issuances.repository.js';
import { type SuiteApp, startApp } from '../support/app.js';
import { fqdnWithCsr, providerOf } from '../support/signing.js';

function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

const allButDate = [
  ...(['hrtime', 'nextTick', 'performance', 'queueMicrotask'] as const),
  ...([
    'setImmediate',
    'clearImmediate',
    'setInterval',
    'clearInterval',
    'setTimeout',
    'clearTimeout',
  ] as const),
];
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

describeEachDialect('jobs of replicas of the version before', (open) => {
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

  const hasView = () => app.database.read(async (tx) => capabilitiesOf(tx).hasConcurrentWriters);

  /** Inserts a job of an FQDN of its own by the words of that version. */
  async function insertFormer(
    status: string,
    leaseUntil: Date | null,
    isFinalizing = true,
  ): Promise<FormerJob> {
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

  /** Migrates as a process whose clock is that of the application. */
  async function migrateNow(): Promise<void> {
    jest.useFakeTimers({ doNotFake: allButDate, now: app.clock.now() });
    await app.database.migrate().finally(() => jest.useRealTimers());
  }

  test('are moved with their orders and keys, and back', async () => {
    await app.database.revertLast();
    const jobs: [FormerJob, string][] = [];
    for (const [status, hasLease, state] of cases)
      jobs.push([await insertFormer(status, hasLease ? lease : null), state]);
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
    await app.database.revertLast();
    const back = await app.database.read((tx) => formerOf(tx));
    expect(back).toHaveLength(cases.length);
    for (const [{ id, status, attempt }] of jobs)
      expect(back).toContainEqual({ ...oneOf(back, id), status, attempt });
    await app.database.migrate();
  });

  test('are moved with longer leases, unless these are long enough', async () => {
    await app.database.revertLast();
    const long = await insertFormer('running', new Date(app.clock.now().getTime() + 4 * minute));
    await migrateNow();
    expect(await issuanceOf(long)).toMatchObject({ state: 'running', leaseUntil: long.leaseUntil });
  });

  test('are moved to wait if their FQDN has another running request', async () => {
    await app.database.revertLast();
    const job = await insertFormer('waiting', null);
    await app.database.migrate();
    await runOther(job);
    await app.database.revertLast();
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

  test('are read by a view whose columns are those of the former table', async () => {
    if (!(await hasView())) return;
    const columnsOf = (table: string) =>
      app.database.read((tx) =>
        tx.query<object[]>(`select attnum, attname, atttypid, atttypmod, attcollation from pg_attribute
          where attrelid = '${table}'::regclass and attnum > 0 order by attnum`),
      );
    const columns = await columnsOf('issuance_jobs');
    expect(columns).toHaveLength(18);
    // a prepared statement fails when the types of its result change
    expect(columns).toEqual(await columnsOf('former_issuance_jobs'));
  });

  /** Moves the jobs by another process, and runs `afterwards` before that commits. */
  async function move(afterwards: Migration['up'] = async () => undefined): Promise<void> {
    const migrations = schema.migrations.map((migration) =>
      migration.name === '0042-jobs'
        ? {
            ...migration,
            up: async (...on: Parameters<Migration['up']>) => {
              await migration.up(...on);
              await afterwards(...on);
            },
          }
        : migration,
    );
    const moving: Schema = { ...schema, migrations };
    const database = await openDatabase({ url: app.databaseUrl, schema: moving });
    await database.migrate();
    await database.close();
  }

  test('are seen by a read whose snapshot is older than the move', async () => {
    if (!(await hasView())) return;
    await app.database.revertLast();
    const job = await insertFormer('running', lease);
    await app.database.read(async (tx) => {
      // takes the snapshot
      await executeSql(tx, 'select 1');
      await move();
      expect(await formerOf(tx)).toMatchObject([{ id: job.id, status: 'running', attempt: 3 }]);
    });
    expect(await app.database.read(formerOf)).toMatchObject([{ id: job.id, status: 'running', attempt: 3 }]);
  });

  /** Resolves when another transaction waits for the table. */
  async function untilAwaited(ask: (text: string) => Promise<unknown>, table: string): Promise<void> {
    const text = `select 1 from pg_locks l join pg_class c on c.oid = l.relation
      join pg_database d on d.oid = l.database and d.datname = current_database()
      where c.relname = '${table}' and not l.granted`;
    await until(async () => ((await ask(text)) as unknown[]).length > 0);
  }

  test('are seen by a read that waits for the move', async () => {
    if (!(await hasView())) return;
    await app.database.revertLast();
    const job = await insertFormer('running', lease);
    let reading: Promise<unknown> = Promise.resolve();
    await move(async (runner) => {
      reading = app.database.read(formerOf);
      await untilAwaited((text) => runner.query(text), 'former_issuance_jobs');
    });
    expect(await reading).toMatchObject([{ id: job.id, status: 'running', attempt: 3 }]);
  });

  test('are moved after a request that holds one and waits for its FQDN', async () => {
    if (!(await hasView())) return;
    await app.database.revertLast();
    const job = await insertFormer('running', lease);
    // as long as usual, which those of tests do not wait before they end one of two that wait for each other
    const usual = "deadlock_timeout = '1s'";
    const name = new URL(app.databaseUrl).pathname.slice(1);
    await app.database.runOutsideTransaction(`alter database ${name} set ${usual}`);
    const steps = { held: gate(), written: gate() };
    const waits = (tx: Tx, table: string) => untilAwaited((text) => tx.query(text), table);
    let tries = 0;
    const holding = app.database.transaction(async (tx) => {
      await executeSql(tx, 'lock table issuances in share mode');
      steps.held.open();
      await waits(tx, 'fqdns');
    });
    await steps.held.opened;
    const request = app.database.transaction(async (tx) => {
      tries += 1;
      await executeSql(tx, `set local ${usual}`);
      await executeSql(tx, "update issuance_jobs set message = 'of the request' where id = $1", [job.id]);
      steps.written.open();
      if (tries === 1) await waits(tx, 'issuances');
      await executeSql(tx, 'select 1 from fqdns for update');
    });
    await steps.written.opened;
    await Promise.all([move(), holding, request]);
    expect(tries).toBe(1);
    expect(await issuanceOf(job)).toMatchObject({ state: 'running', message: 'of the request' });
  });

  // the former table was locked by these; the view locks no rows
  test.each([
    ['claimed', "select * from issuance_jobs where status = 'running' limit 1 for update skip locked"],
    [
      'continued',
      "select f.* from issuance_jobs f where f.status = 'failed' limit 1 for update of f skip locked",
    ],
  ])('are %s by one of two of their replicas', async (_, select) => {
    if (!(await hasView())) return;
    const status = select.includes('failed') ? 'failed' : 'running';
    const job = await insertFormer(status, lease);
    const found = { first: gate(), second: gate() };
    const claim = async (mine: 'first' | 'second', other: 'first' | 'second') =>
      app.database.transaction(async (tx) => {
        expect(await querySql(tx, formerColumns, select)).toMatchObject([{ id: job.id, attempt: 3 }]);
        found[mine].open();
        await found[other].opened;
        const change = "update issuance_jobs set status = 'running', attempt = 4";
        return executeSql(tx, `${change} where id = $1 and attempt = 3 and status = $2`, [job.id, status]);
      });
    expect((await Promise.all([claim('first', 'second'), claim('second', 'first')])).sort()).toEqual([0, 1]);
    expect(await issuanceOf(job)).toMatchObject({ attempt: 4 });
  });

  test('go with an FQDN that their replicas delete, unless the CA may have issued', async () => {
    if (!(await hasView())) return;
    const asked = await insertFormer('running', lease);
    await insertFormer('running', lease, false);
    await insertFormer('waiting', null, false);
    await insertFormer('completed', null);
    await app.database.transaction((tx) =>
      executeSql(tx, 'delete from fqdns where id in (select fqdn_id from issuances)'),
    );
    const left = await app.database.read((tx) => tx.find(issuances));
    expect(left.map(({ id }) => id)).toEqual([asked.id]);
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
