// Ways to measure what the database has to do for a piece of the services' own code, in this process. A row is as
// measure.mjs makes it; its figure is what PostgreSQL reports by EXPLAIN (ANALYZE, BUFFERS): of a busy machine
// the pages that a statement touches say more than its time.
import { cpuSeconds } from '../measuring/cpu-time.mjs';

const undone = Symbol('undone');

/** What of a statement EXPLAIN takes: all of it, or what a cursor is for. */
const planned = /^\s*(?:declare .*? cursor.*? for\s+)?((?:select|with|insert|update|delete)\b.*)$/is;

/**
 * Row of `work`, which gets a transaction that is taken back, or, where it is `isAutocommit` and on PostgreSQL, the autocommit
 * instead: the median of `times` runs after one to warm up. What `prepare` does before is not measured.
 */
export async function ofStatements({ database }, { what, prepare, work, isAutocommit = false, times = 7 }) {
  const { autocommit } = database;
  const run = () =>
    isAutocommit && autocommit
      ? metered(pids, () => work(undefined, autocommit))
      : takenBack(database, async (tx) => {
          await prepare?.(tx);
          return metered(pids, () => work(tx));
        });
  const pids = await serverPids(database);
  await run();
  const taken = [];
  for (let n = 0; n < times; n += 1) taken.push(await run());
  const plans = await explained(database, { prepare, work, isAutocommit });
  const mean = (part) => taken.reduce((sum, one) => sum + one[part], 0) / times;
  const [own, server] = [mean('own'), mean('server')];
  const walls = taken.map(({ ms }) => ms).sort((a, b) => a - b);
  const [p50, p99] = [0.5, 0.99].map((share) => walls[Math.floor(share * (times - 1))]);
  const ofServer =
    plans.length > 0 ? `; ${planFigure(plans)}; CPU of the server ${server.toFixed(1)} ms` : '';
  const figure = `${p50.toFixed(1)} ms${ofServer}`;
  process.stderr.write(`  ${what}: ${figure}; own CPU ${own.toFixed(1)} ms\n`);
  return { what, figure, aloneMs: p50, p50, p99, cpuMs: own + server };
}

/** Milliseconds of the wall and of the CPU that `work` takes here and in the processes of the server. */
async function metered(pids, work) {
  const before = { cpu: process.cpuUsage(), server: cpuOf(pids), at: performance.now() };
  await work();
  const { user, system } = process.cpuUsage(before.cpu);
  const ms = performance.now() - before.at;
  return { ms, own: (user + system) / 1e3, server: (cpuOf(pids) - before.server) * 1e3 };
}

function planFigure(plans) {
  const sum = (part) => plans.reduce((total, plan) => total + part(plan), 0);
  return `${sum(({ pages }) => pages).toLocaleString('en')} pages in ${sum(({ ms }) => ms).toFixed(1)} ms`;
}

/** What `work` returns, but nothing of what it wrote. */
async function takenBack(database, work) {
  let result;
  const outcome = database.transaction(async (tx) => {
    result = await work(tx);
    throw undone;
  });
  await outcome.catch((error) => {
    if (error !== undone) throw error;
  });
  return result;
}

async function serverPids(database) {
  if (database.dialect.name !== 'postgres') return [];
  const rows = await database.read((tx) =>
    tx.query('select pid from pg_stat_activity where datname = current_database()'),
  );
  return rows.map(({ pid }) => pid);
}

function cpuOf(pids) {
  return pids.reduce((sum, pid) => sum + (cpuSeconds(pid) || 0), 0);
}

/** Milliseconds and pages of each statement that `work` runs on PostgreSQL; none on SQLite. */
async function explained(database, { prepare, work, isAutocommit }) {
  if (database.dialect.name !== 'postgres') return [];
  const plans = [];
  await takenBack(database, async (tx) => {
    await prepare?.(tx);
    const runner = tx.queryRunner;
    const query = runner.query.bind(runner);
    const explain = async (text, values) => {
      await query('savepoint explained');
      const [row] = await query(`explain (analyze, buffers, format json) ${text}`, values);
      await query('rollback to savepoint explained');
      plans.push(planOf(row['QUERY PLAN'][0]));
    };
    runner.query = async (text, values, isStructured) => {
      const [, plannable] = planned.exec(text) ?? [];
      if (plannable !== undefined) await explain(plannable, values);
      return query(text, values, isStructured);
    };
    const autocommit = {
      run: async ({ text }, values) => {
        for (const kind of ['seqscan', 'hashjoin', 'mergejoin'])
          await query(`set local enable_${kind} = off`);
        await explain(text, values);
        return [];
      },
    };
    await (isAutocommit ? work(undefined, autocommit) : work(tx));
  });
  return plans;
}

function planOf({ Plan: plan, 'Execution Time': ms }) {
  if (process.env['BENCH_PLANS'] !== undefined) process.stderr.write(`${outline(plan)}\n`);
  return { ms, pages: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'] };
}

function outline(plan, depth = 2) {
  const pages = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  const place = plan['Index Name'] ?? plan['Relation Name'] ?? '';
  const line = `${' '.repeat(depth)}${plan['Node Type']} ${place} rows ${plan['Actual Rows']} × ${plan['Actual Loops']}, ${pages} pages`;
  return [line, ...(plan['Plans'] ?? []).map((part) => outline(part, depth + 2))].join('\n');
}
