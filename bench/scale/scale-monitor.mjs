import { claimTurns } from '../../apps/check-monitor/dist/src/alerts/claim-turns.repository.js';
import { listManyChecks } from '../../apps/check-monitor/dist/src/checks/rows/check-cells.repository.js';
import { listOverdueChecks } from '../../apps/check-monitor/dist/src/checks/rows/overdue-checks.repository.js';
import { claimFlips } from '../../apps/check-monitor/dist/src/flips/flips.repository.js';
import {
  countChecksByStatus,
  readCounters,
  readWaiting,
} from '../../apps/check-monitor/dist/src/metrics/scrape.repository.js';
import { findKnownChecks } from '../../apps/check-monitor/dist/src/pings/batches/known-checks.repository.js';
import {
  commitPings,
  insertPings,
} from '../../apps/check-monitor/dist/src/pings/batches/ping-batch.repository.js';
import { nextPlace } from '../../apps/check-monitor/dist/src/pings/ping-ring.js';
import { listLatestPings } from '../../apps/check-monitor/dist/src/pings/pings.repository.js';
import { micros, withMonitor } from '../check-monitor/monitor-place.mjs';
import { settle } from '../databases.mjs';
import { seedMonitor } from './scale-monitor-seed.mjs';
import { ofStatements } from './statements.mjs';
import { tableSizes } from './table-sizes.mjs';

// that of CHECK_MONITOR_PING_LIMIT
const pingLimit = 100;

const tables = ['checks', 'check_states', 'pings', 'flips', 'notifications'];

/** Sizes and statements of a monitor with `count` checks. */
export function measureMonitor(database, count) {
  return withMonitor(database, async (place) => {
    await place.monitor.stop();
    const { projectId } = await seedMonitor(place, count);
    await settle(place);
    const rows = await tableSizes(place, tables);
    for (const statement of await statements(place, { count, projectId })) {
      rows.push(await ofStatements(place, statement));
    }
    return rows;
  });
}

async function statements(place, { count, projectId }) {
  const now = micros();
  const claim = { now, lease: 30_000_000, limit: 4, ownTurns: new Set(), digestPerMinute: 20 };
  // not the first check, which was made in another way
  const ids = Array.from({ length: 100 }, (_, n) => 2 + Math.floor((n * (count - 2)) / 100));
  const uuids = await uuidsOf(place, ids);
  return [
    { what: 'batch of 100 pings of 100 checks', isAutocommit: true, work: await pingBatch(place, uuids) },
    {
      what: 'checks that are due, 100 of them',
      prepare: (tx) =>
        tx.query(`update check_states set alert_after = ${now - 1e6} where check_id in (${ids.join(', ')})`),
      work: (tx) => listOverdueChecks(tx, now, 100),
    },
    { what: 'list of the 1,000 checks of a project', work: (tx) => listManyChecks(tx, projectId) },
    { what: 'latest 100 pings of a check', work: (tx) => listLatestPings(tx, ids[50], 100) },
    { what: 'flips that wait, none', work: (tx) => claimFlips(tx, now, 100) },
    { what: 'messages that wait, none', work: (tx) => claimTurns(tx, claim) },
    { what: 'scrape: what waits', work: (tx) => readWaiting(tx, now) },
    { what: 'scrape: checks by status', work: (tx) => countChecksByStatus(tx) },
    { what: 'GET /api/v3/metrics/', work: (tx) => readCounters(tx) },
  ];
}

async function uuidsOf({ database }, ids) {
  const text = `select uuid from checks where id in (${ids.join(', ')})`;
  return (await database.read((tx) => tx.query(text))).map(({ uuid }) => uuid);
}

/** A batch as the intake writes it, in autocommit mode if the database has it; what a process knows of its checks is known here. */
async function pingBatch({ database }, uuids) {
  const known = await findKnownChecks(database, uuids);
  return async (tx, autocommit) => {
    const at = micros();
    const pinged = known.map((check) => {
      return { ...check, ...nextPlace(check, pingLimit), pingCount: check.pingCount + 1, lastPing: at };
    });
    const pings = pinged.map(({ id, lastSlot, pingCount }) => ({
      checkId: id,
      slot: lastSlot,
      n: pingCount,
      at,
      signal: 'success',
      scheme: 'https',
      remoteAddr: '203.0.113.7',
      method: 'GET',
      userAgent: 'curl/8.14.1',
      runId: null,
      exitStatus: null,
      body: null,
    }));
    const rows = { checks: pinged, pings, flips: [], shrunk: [] };
    if (autocommit === undefined) return void (await insertPings(tx, rows));
    const written = await commitPings({ autocommit }, rows);
    for (const [place, { id, ...left }] of pinged.entries())
      if (written.has(id)) Object.assign(known[place], left, { revision: left.revision + 1 });
  };
}
