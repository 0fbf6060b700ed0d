// Pings in the steady state, in which each pushes another one out.
import { pings } from '../apps/check-monitor/dist/src/pings/pings.repository.js';
import { seedChecks } from './monitor-place.mjs';
import { askedInTurn } from './wrk.mjs';

const count = 1_000;
// that of CHECK_MONITOR_PING_LIMIT
const pingLimit = 100;

const targets = { sqlite: 'ratio 0.16', postgres: 'ratio 0.13' };

/** Rows of the pings that 16 connections get answered in `seconds`, and of what they leave behind on PostgreSQL. */
export async function measurePings(place, { seconds }) {
  const { uuids } = await seedChecks(place, { kind: '0000001a', count });
  const { url, pid } = place.monitor;
  const ask = { pid, url, folder: place.folder, paths: uuids.map((uuid) => `/ping/${uuid}`) };
  while ((await fewestPings(place)) <= pingLimit) {
    await askedInTurn({ ...ask, what: 'until pings are pushed out', seconds: 5 });
  }
  const what = `GET /ping, ${count.toLocaleString('en')} checks, ${pingLimit} pings of each stored`;
  const row = await askedInTurn({ ...ask, what, target: targets[place.dialect], seconds });
  return [row, ...(await deadRows(place))];
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
