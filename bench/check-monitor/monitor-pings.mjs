// Pings in the steady state, in which each pushes another one out.
import { pings } from '../../apps/check-monitor/dist/src/pings/pings.repository.js';
import { measureBaseline } from '../measuring/measure.mjs';
import { askedInTurn } from '../measuring/wrk.mjs';
import { seedChecks } from './monitor-place.mjs';

const count = 1_000;
// that of CHECK_MONITOR_PING_LIMIT
const pingLimit = 100;

const turnSeconds = 10;
const targets = { sqlite: 'ratio 0.16', postgres: 'ratio 0.13' };

/**
 * Rows of the pings that 16 connections get answered in `seconds`, and of what they leave behind on PostgreSQL. Beside
 * the pings, in turns of 10 s, a bare server is measured, as a machine that others share changes its speed meanwhile.
 */
export async function measurePings(place, { seconds }) {
  const { uuids } = await seedChecks(place, { kind: '0000001a', count });
  const { url, pid } = place.monitor;
  const ask = { pid, url, folder: place.folder, paths: uuids.map((uuid) => `/ping/${uuid}`) };
  while ((await fewestPings(place)) <= pingLimit) {
    await askedInTurn({ ...ask, what: 'until pings are pushed out', seconds: 5 });
  }
  const what = `GET /ping, ${count.toLocaleString('en')} checks, ${pingLimit} pings of each stored`;
  const turns = [];
  for (let left = seconds; left > 0; left -= turnSeconds) {
    const { perSecond: bare } = await measureBaseline({ seconds: 1 });
    turns.push({ bare, ...(await askedInTurn({ ...ask, what, seconds: Math.min(left, turnSeconds) })) });
  }
  return [rowOf(turns, { what, target: targets[place.dialect] }), ...(await deadRows(place))];
}

/** One row of all turns: their means, and of latencies the median. */
function rowOf(turns, row) {
  const mean = (name) => turns.reduce((sum, turn) => sum + turn[name], 0) / turns.length;
  const median = (name) => turns.map((turn) => turn[name]).sort((a, b) => a - b)[turns.length >> 1];
  const perSecond = mean('perSecond');
  return {
    ...row,
    figure: `${Math.round(perSecond).toLocaleString('en')}/s`,
    perSecond,
    ratio: perSecond / mean('bare'),
    p50: median('p50'),
    p99: median('p99'),
    cpuMs: mean('cpuMs'),
    refused: turns.reduce((sum, { refused }) => sum + refused, 0),
  };
}

async function fewestPings({ runSql }) {
  const [{ fewest }] = await runSql('select min(ping_count) as fewest from check_states');
  return Number(fewest);
}

async function deadRows({ dialect, runSql }) {
  if (dialect !== 'postgres') return [];
  const [{ live, dead, hot }] = await runSql(`select n_live_tup as live, n_dead_tup as dead,
    100.0 * n_tup_hot_upd / greatest(n_tup_upd, 1) as hot
    from pg_stat_user_tables where relname = '${pings.name}'`);
  const inPlace = Number(hot).toFixed(1);
  const what = `dead rows for 100 live ones after that, ${inPlace} % of updates without a change of an index`;
  const figure = ((100 * dead) / live).toFixed(1);
  process.stderr.write(`  ${what}: ${figure}\n`);
  return [{ what, figure, target: '10' }];
}
