// A monitor's database as it is at a million checks: 1,000 projects, four pings of each check, one flip and one message.
import { channels } from '../../apps/check-monitor/dist/src/channels/channels.repository.js';
import { checks } from '../../apps/check-monitor/dist/src/checks/rows/checks.repository.js';
import { projects } from '../../apps/check-monitor/dist/src/projects/projects.repository.js';
import { micros, seedChecks } from '../check-monitor/monitor-place.mjs';
import { copyRows, unchecked } from './copies.mjs';

const kind = '0000002a';
const projectCount = 1_000;
const pingRounds = 4;

/** Returns the id of one of the projects, and which checks it has. */
export async function seedMonitor(place, count) {
  const { uuids } = await seedChecks(place, { kind, count: 1 });
  const first = `t.uuid = '${uuids[0]}'`;
  await copyRows(place, projects, {
    where: 'true',
    count: projectCount - 1,
    change: ({ uuid, i }) => ({
      id: uuid(kind, i),
      badgeKey: uuid(kind, i),
      pingKey: `'key-' || ${i}`,
      name: `'Project ' || ${i}`,
    }),
  });
  await copyRows(place, checks, {
    where: first,
    count: count - 1,
    change: ({ uuid, randomUuid, i }) => ({
      projectId: uuid(kind, `1 + ${i} % ${projectCount - 1}`),
      uuid: randomUuid,
      badgeUuid: randomUuid,
      uniqueKey: `replace(cast(${randomUuid} as text), '-', '') || '00000000'`,
      name: `'Backup of host ' || ${i}`,
      slug: `'backup-of-host-' || ${i}`,
      tags: "'backup production'",
    }),
  });
  await seedHistory(place);
  return { projectId: `${kind}-0000-7000-8000-000000000001` };
}

async function seedHistory({ database, dialect }) {
  const now = micros();
  const run = (text) => unchecked(database, text);
  await run(`insert into check_states
    (check_id, revision, ping_count, stored_status, last_ping, last_duration, alert_after)
    select id, ${pingRounds}, ${pingRounds}, 'up', ${now}, 1500000, ${now + 90_000_000_000} + id from checks c
    where not exists (select 1 from check_states s where s.check_id = c.id)`);
  // round by round, as they come in
  for (let n = 1; n <= pingRounds; n += 1) {
    await run(`insert into pings (check_id, slot, at, signal, scheme, remote_addr, method, user_agent)
      select id, ${n}, ${now - 3_600_000_000 * (pingRounds - n)}, 'success', 'https', '203.0.113.7', 'GET', 'curl/8.14.1'
      from checks`);
  }
  process.stderr.write(`  ${pingRounds} pings of each check\n`);
  await run(`insert into flips (check_id, at, old_status, new_status, reason, processed_at)
    select id, ${now - 86_400_000_000}, 'new', 'up', '', ${now} from checks`);
  await run(`insert into channels (uuid, project_id, kind, name, settings, created_at)
    select id, id, 'webhook', 'Webhook', '{}', ${now} from projects`);
  const uuid = dialect === 'postgres' ? 'c.uuid' : "substr(c.uuid, 1, 35) || '0'";
  await run(`insert into ${'notifications'}
    (delivery_id, channel_id, check_id, flip_id, status, attempt, created_at, settled_at)
    select ${uuid}, h.id, c.id, f.id, 'up', 1, ${now}, ${now}
    from checks c join flips f on f.check_id = c.id join ${channels.name} h on h.project_id = c.project_id`);
}
