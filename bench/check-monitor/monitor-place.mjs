// A check-monitor on a new database, with projects and checks put into it by SQL.
import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { defaultSettings, newCheck } from '../../apps/check-monitor/dist/src/checks/check.js';
import { checks, insertCheck } from '../../apps/check-monitor/dist/src/checks/rows/checks.repository.js';
import { schema } from '../../apps/check-monitor/dist/src/database.js';
import { setUpProject } from '../../apps/check-monitor/dist/src/projects/create-project.service.js';
import { findProjectByPingKey } from '../../apps/check-monitor/dist/src/projects/projects.repository.js';
import { openDatabase } from '../../packages/db/dist/src/index.js';
import { exchange } from '../measuring/measure.mjs';
import { copyId, multiply } from '../multiply.mjs';
import { startService } from '../services.mjs';

export const secret = 'a secret of the bench alone';

/** What `work` makes of the place, a monitor with further settings in `environment`: { dialect, url, folder, monitor, database, runSql }. */
export async function withMonitor({ dialect, url, folder }, work, environment = {}) {
  const monitor = await startService('check-monitor', {
    CHECK_MONITOR_DATABASE_URL: url,
    CHECK_MONITOR_SECRET: secret,
    ...environment,
  });
  const database = await openDatabase({ url, schema });
  try {
    const runSql = (text) => database.transaction((tx) => tx.query(text));
    return await work({ dialect, url, folder, monitor, database, runSql });
  } finally {
    await database.close();
    await monitor.stop();
  }
}

export function micros() {
  return Date.now() * 1000;
}

/**
 * A new project with `count` checks that are up, have been pinged once and are due in 25 hours and later; `kind`, eight
 * hexadecimal digits, begins their uuids. Returns its keys and the uuids.
 */
export async function seedChecks({ dialect, database, runSql }, { kind, count, pingLimit = null }) {
  const owner = { email: `${kind}@example.test`, checkLimit: 2 * count, pingLimit };
  const keys = await setUpProject({ db: database, clock: { now: micros }, secret }, owner, `Project ${kind}`);
  const first = await database.transaction((tx) => insertFirst(tx, keys));
  const copy = multiply(dialect, checks, {
    where: `t.uuid = '${first}'`,
    count: count - 1,
    change: ({ uuid }) => ({
      uuid: uuid(kind, 'n.i'),
      badgeUuid: uuid(kind, 'n.i'),
      uniqueKey: `replace(cast(${uuid(kind, 'n.i')} as text), '-', '') || '00000000'`,
      name: "'check ' || n.i",
    }),
  });
  await runSql(copy);
  const now = micros();
  await runSql(`insert into check_states (check_id, revision, ping_count, stored_status, last_ping, alert_after)
    select id, 0, 1, 'up', ${now}, ${now + 90_000_000_000} + id from checks c
    where not exists (select 1 from check_states s where s.check_id = c.id)`);
  const uuids = [first, ...Array.from({ length: count - 1 }, (_, n) => copyId(kind, n + 1))];
  return { keys, uuids };
}

async function insertFirst(tx, { pingKey }) {
  const { id: projectId } = await findProjectByPingKey(tx, pingKey);
  const origin = { projectId, uuid: randomUUID(), badgeUuid: randomUUID(), createdAt: micros() };
  const check = newCheck({ ...defaultSettings, name: 'check 0', tags: 'bench' }, origin);
  const pinged = {
    storedStatus: 'up',
    lastPing: micros(),
    pingCount: 1,
    alertAfter: micros() + 90_000_000_000,
  };
  await insertCheck(tx, { ...check, ...pinged });
  return check.uuid;
}

/** A flip for each check of the project, in the last hour. */
export function seedFlips({ runSql }, { projectId }) {
  const at = micros() - 3_600_000_000;
  return runSql(`insert into flips (check_id, at, old_status, new_status, reason, processed_at)
    select id, ${at} + id, 'new', 'up', '', ${at} + id from checks where project_id = '${projectId}'`);
}

/** `count` runs of a check, each of them a start and a success, by pings of its own. */
export async function seedRing({ monitor: { url } }, { uuid, count }) {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  for (let n = 0; n < count; n += 8) {
    const pings = Array.from(
      { length: 8 },
      (_, place) => `${url}/ping/${uuid}${place % 2 === 0 ? '/start' : ''}`,
    );
    await Promise.all(pings.map((ping) => exchange(agent, { url: ping })));
  }
  agent.destroy();
}
