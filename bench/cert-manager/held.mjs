// Suite `held`: 1,000 requests that wait for a newer certificate, each of an FQDN of its own: the memory of the process
// that they take, its CPU while they wait, and the time until all are answered after another process stored certificates.
import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { measureOnEach, settle } from '../databases.mjs';
import { cpuSeconds } from '../measuring/cpu-time.mjs';
import { exchange } from '../measuring/measure.mjs';
import { asAdministrator, withManager } from './manager-place.mjs';
import { seedCertificates } from './manager-seed.mjs';

const count = 1_000;
const waitSeconds = 120;
const atOnce = 50;

export const held = {
  name: 'held',
  run: ({ dialects }) =>
    measureOnEach(dialects, (database) => withManager(database, measure, { METRICS_OPEN: 'true' })),
};

async function measure(place) {
  const { database, runSql, manager } = place;
  const { spaceId, first } = await seedCertificates(place, { kind: '00000020', count });
  const ids = await database.read((tx) => tx.query(`select id from fqdns where space_id = '${spaceId}'`));
  const etag = await etagOf(place, spaceId, first.id);
  await settle(place);
  // what a first request loads does not count
  const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });
  await Promise.all(hold(place, agent, { spaceId, ids: ids.slice(0, atOnce), etag, wait: 2 }));
  const before = residentBytes(manager.pid);
  const requests = [];
  for (let from = 0; from < ids.length; from += atOnce) {
    requests.push(
      ...hold(place, agent, { spaceId, ids: ids.slice(from, from + atOnce), etag, wait: waitSeconds }),
    );
    await untilHeld(place, requests);
  }
  const bytes = residentBytes(manager.pid) - before;
  const cpuBefore = cpuSeconds(manager.pid);
  await sleep(10_000);
  const cpuMs = ((cpuSeconds(manager.pid) - cpuBefore) * 1e3) / 10;
  const start = performance.now();
  await runSql('update certificates set leaf_expires_at = null');
  const answers = await Promise.all(requests);
  const endMs = performance.now() - start;
  agent.destroy();
  const refused = answers.filter(({ status }) => status !== 304 && status !== 200).length;
  const what = `${ids.length.toLocaleString('en')} held requests`;
  return [
    { what: `memory of ${what}`, figure: `${(bytes / 1e6).toFixed(0)} MB`, target: '100 MB', refused },
    { what: `CPU of ${what}`, figure: `${cpuMs.toFixed(1)} ms/s`, cpuMs },
    { what: `answering ${what} of another process`, figure: `${(endMs / 1e3).toFixed(1)} s`, aloneMs: endMs },
  ];
}

const pathOf = (spaceId, id) => `/spaces/${spaceId}/fqdns/${id}/certificate`;

async function etagOf(place, spaceId, id) {
  const { url, headers } = asAdministrator(place, pathOf(spaceId, id));
  const response = await fetch(url, { headers });
  await response.arrayBuffer();
  return response.headers.get('etag');
}

/** Requests that the service holds for so many seconds. */
function hold(place, agent, { spaceId, ids, etag, wait }) {
  return ids.map(({ id }) => {
    const { url, headers } = asAdministrator(place, `${pathOf(spaceId, id)}?wait=${wait}`);
    return exchange(agent, { url, headers: { ...headers, 'if-none-match': etag } });
  });
}

/** Waits until the service reports so many held requests. */
async function untilHeld({ manager }, requests) {
  let early;
  for (const one of requests)
    one.then(({ status, body, headers }) => (early = `${status} ${body} ${JSON.stringify(headers)}`));
  for (;;) {
    const page = await (await fetch(`${manager.url}/metrics`)).text();
    if (page.includes(`cert_manager_held_requests ${requests.length}\n`)) return;
    if (early !== undefined) throw new Error(`a request was not held: ${early}`);
    await sleep(200);
  }
}

function residentBytes(pid) {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}
