// Suite `storm`: 20,000 checks, or STORM_CHECKS, go down at once. A webhook gets each change, a chat its digest, and pings go on beside it.
import { Agent, createServer } from 'node:http';
import { createChannel } from '../../apps/check-monitor/dist/src/channels/create-channel.service.js';
import { measureOnEach, settle } from '../databases.mjs';
import { cpuSeconds } from '../measuring/cpu-time.mjs';
import { exchange } from '../measuring/measure.mjs';
import { micros, seedChecks, withMonitor } from './monitor-place.mjs';

const count = Number(process.env['STORM_CHECKS'] ?? 20_000);
const pauseMs = 20;
const maxSeconds = 300;

export const storm = {
  name: 'storm',
  isLong: true,
  run: ({ dialects }) =>
    measureOnEach(dialects, (database) =>
      withMonitor(database, measureStorm, { CHECK_MONITOR_ALLOW_PRIVATE_TARGETS: 'true' }),
    ),
};

async function measureStorm(place) {
  const { keys } = await seedChecks(place, { kind: '0000002a', count });
  const { uuids } = await seedChecks(place, { kind: '0000002b', count: 100 });
  const target = await startTarget();
  await createTargets(place, keys, target.url);
  await settle(place);
  const cpu = cpuSeconds(place.monitor.pid);
  const start = performance.now();
  target.start(start);
  await letFall(place, keys);
  const latencies = await pingUntil(place, uuids, () => target.hooks() >= count && target.digest() > 0);
  const cpuMs = ((cpuSeconds(place.monitor.pid) - cpu) * 1e3) / count;
  await target.close();
  return rowsOf({ target, latencies, cpuMs });
}

function rowsOf({ target, latencies, cpuMs }) {
  const [p50, p99] = [0.5, 0.99].map((share) => latencies[Math.floor(share * (latencies.length - 1))]);
  const of = `${count.toLocaleString('en')} checks down at once`;
  const rows = [
    { what: `${of}, until the webhook has all`, figure: seconds(target.lastHook()), target: '60 s', cpuMs },
    { what: `${of}, until the chat has the digest`, figure: seconds(target.digest()), target: '60 s' },
    { what: `${of}, pings beside it`, figure: `${latencies.length} pings`, target: 'p99 100 ms', p50, p99 },
  ];
  for (const { what, figure } of rows) process.stderr.write(`  ${what}: ${figure}\n`);
  return rows;
}

function seconds(ms) {
  return Number.isNaN(ms) ? `not in ${maxSeconds} s` : `${(ms / 1e3).toFixed(1)} s`;
}

/** A server that is the webhook and the chat, and notes when it got what. */
async function startTarget() {
  let [start, hooks, lastHook, digest] = [0, 0, Number.NaN, Number.NaN];
  const server = createServer((request, response) => {
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      const at = performance.now() - start;
      if (request.url === '/hook') [hooks, lastHook] = [hooks + 1, at];
      else if (Buffer.concat(parts).includes('more checks are DOWN')) digest = at;
      response.end();
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    start: (at) => {
      start = at;
    },
    hooks: () => hooks,
    lastHook: () => (hooks >= count ? lastHook : Number.NaN),
    digest: () => digest,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A webhook and a chat, each of all checks of the project. */
async function createTargets({ database: db }, { projectId }, url) {
  const deps = { db, clock: { now: micros }, notifier: { refusalOfTarget: async () => undefined } };
  const hook = { down: { method: 'POST', url: `${url}/hook`, body: '$NAME $STATUS' } };
  const common = { projectId, isVerified: true };
  await createChannel(deps, { ...common, kind: 'webhook', name: 'hook', settings: hook });
  await createChannel(deps, { ...common, kind: 'slack', name: 'chat', settings: { url: `${url}/chat` } });
}

function letFall({ runSql }, { projectId }) {
  const past = micros() - 100_000_000_000;
  return runSql(`update check_states set last_ping = ${past}, alert_after = ${past} + 90000000000
    where check_id in (select id from checks where project_id = '${projectId}')`);
}

/** Milliseconds of one ping after the other, sorted, until `isOver`. */
async function pingUntil({ monitor: { url } }, uuids, isOver) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const latencies = [];
  const end = performance.now() + maxSeconds * 1e3;
  for (let n = 0; !isOver() && performance.now() < end; n += 1) {
    const start = performance.now();
    await exchange(agent, { url: `${url}/ping/${uuids[n % uuids.length]}` });
    latencies.push(performance.now() - start);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  agent.destroy();
  return latencies.sort((a, b) => a - b);
}
