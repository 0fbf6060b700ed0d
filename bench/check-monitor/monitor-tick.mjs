// A round of the alert loop in this process: checks fall, their flips are recorded and handed on.
import { createApp } from '../../apps/check-monitor/dist/src/app.js';
import { createLogger } from '../../packages/server/dist/src/index.js';
import { settle } from '../databases.mjs';
import { micros, seedChecks } from './monitor-place.mjs';

const count = 1_000_000;
const due = 100;
const times = 11;

/** Stops the monitor, which would take what is due. */
export async function measureTick(place) {
  await place.monitor.stop();
  await seedChecks(place, { kind: '0000001c', count });
  await settle(place);
  const runs = await runOften(place);
  const what = `tick, ${due} of ${count.toLocaleString('en')} checks due`;
  const [p50, p99] = [0.5, 0.99].map((share) => quantile(runs, 'ms', share));
  const cpuMs = quantile(runs, 'cpuMs', 0.5);
  return [{ what, figure: `${p50.toFixed(1)} ms`, target: '50 ms', aloneMs: p50, p50, p99, cpuMs }];
}

async function runOften({ database, runSql }) {
  const logger = createLogger({ service: 'bench', level: 'silent' });
  const { tick } = createApp({
    config,
    database,
    clock: { now: micros },
    logger,
    notifier: { shouldNotify: () => false },
  });
  const runs = [];
  // the first one warms up
  for (let n = 0; n <= times; n += 1) {
    await makeDue(runSql);
    const cpu = process.cpuUsage();
    const start = performance.now();
    await tick();
    const ms = performance.now() - start;
    const { user, system } = process.cpuUsage(cpu);
    if (n > 0) runs.push({ ms, cpuMs: (user + system) / 1e3 });
    await requireFallen(database, due * (n + 1));
  }
  return runs;
}

/** Other checks than the last time: the earliest hundred of those that are up. */
function makeDue(runSql) {
  const past = micros() - 100_000_000_000;
  return runSql(`update check_states set last_ping = ${past}, alert_after = ${past} + 90000000000 where check_id in (
    select check_id from check_states where alert_after is not null order by alert_after limit ${due})`);
}

async function requireFallen(database, expected) {
  const text = "select count(*) as n from flips where new_status = 'down' and processed_at is not null";
  const [{ n }] = await database.read((tx) => tx.query(text));
  if (Number(n) !== expected) throw new Error(`${n} checks have fallen instead of ${expected}`);
}

function quantile(runs, name, share) {
  return runs.map((run) => run[name]).toSorted((a, b) => a - b)[Math.floor(share * (runs.length - 1))];
}

const address = 'https://monitor.example.test';
const config = {
  addresses: { siteRoot: address, pingEndpoint: `${address}/ping/` },
  secret: 'a secret of the bench alone',
  siteName: 'Bench',
  badgeLabel: 'bench',
  checkLimit: 20,
  pingLimit: 100,
  pingBodyLimit: 10_000,
  trustedProxies: [],
};
