// Suite `checks`: what the pages of the monitor ask, in a project of 50,000 checks, on both databases.
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { setPassword } from '../../apps/check-monitor/dist/src/accounts/passwords.service.js';
import { createPasswords } from '../../packages/server/dist/src/index.js';
import { measureOnEach, settle } from '../databases.mjs';
import { cpuSeconds } from '../measuring/cpu-time.mjs';
import { alone, exchange } from '../measuring/measure.mjs';
import { micros, secret, seedChecks, seedFlips, seedRing, withMonitor } from './monitor-place.mjs';

const listed = { kind: '0000001e', count: 50_000 };
const ring = 10_000;

export const checks = {
  name: 'checks',
  isLong: true,
  run: ({ dialects }) => measureOnEach(dialects, (database) => withMonitor(database, measureChecks)),
};

async function measureChecks(place) {
  const { keys, uuids } = await seedChecks(place, { ...listed, pingLimit: ring });
  await seedFlips(place, keys);
  await seedRing(place, { uuid: uuids[0], count: ring });
  await settle(place);
  const session = await signIn(place);
  const project = `/projects/${keys.projectId}`;
  const person = { place, session, project };
  return [
    ...(await measureLists(person)),
    ...(await measureStates(person, uuids)),
    ...(await measureCheck(person, uuids[0])),
    ...(await measureProjects(person)),
  ];
}

async function measureLists(person) {
  const page = '/checks?include=state&limit';
  return [
    await computed(person, {
      what: '100 by need, computed',
      target: '40 ms',
      path: `${page}=100&sort=attention`,
    }),
    await repeated(person, { what: '100 by need', target: '40 ms', path: `${page}=100&sort=attention` }),
    await repeated(person, { what: '100 by name', target: '40 ms', path: `${page}=100&sort=name` }),
    await repeated(person, { what: '100 by age', target: '40 ms', path: `${page}=100&sort=created` }),
    await repeated(person, { what: '100 by a part of the name', target: '40 ms', path: `${page}=100&q=47` }),
    await repeated(person, { what: '1,000 by name', target: '150 ms', path: `${page}=1000&sort=name` }),
  ];
}

async function measureStates(person, uuids) {
  const { place } = person;
  const ask = (from) => `/checks/status?ids=${uuids.slice(from, from + 100).join(',')}`;
  let next = 1_000;
  const pingOne = () => exchange(undefined, { url: `${place.monitor.url}/ping/${uuids[1]}` });
  return [
    await repeated(person, {
      what: 'states of 100 that were not asked for yet',
      target: '30 ms',
      path: () => {
        next += 100;
        return ask(next);
      },
    }),
    await repeated(person, { what: 'states of 100, nothing changed', target: '30 ms', path: ask(0) }),
    await repeated(person, {
      what: 'states of 100, one was pinged',
      target: '30 ms',
      path: ask(0),
      prepare: pingOne,
    }),
  ];
}

async function measureCheck(person, uuid) {
  const check = `/checks/${uuid}`;
  return [
    await repeated(person, { what: '100 events', target: '10 ms', path: `${check}/events?limit=100` }),
    await repeated(person, {
      what: 'durations of 10,000 pings',
      target: '60 ms',
      path: `${check}/durations?points=300`,
    }),
    await repeated(person, {
      what: 'downtimes of 3 months',
      target: '10 ms',
      path: `${check}/downtimes?months=3`,
    }),
    await repeated(person, { what: 'diagnosis', target: '10 ms', path: `${check}/diagnosis` }),
    await repeated({ ...person, project: '' }, { what: 'own check by its id', target: '3 ms', path: check }),
  ];
}

async function measureProjects(person) {
  const asked = { path: '/projects?include=counts', target: '100 ms' };
  const everywhere = { ...person, project: '' };
  return [
    // no longer than for 5 s, as the checks are for 15 s
    await computed(everywhere, {
      what: 'projects with counts and last change, computed',
      ...asked,
      pauseMs: 5_100,
    }),
    await repeated(everywhere, { what: 'projects with counts', ...asked }),
  ];
}

async function signIn({ database, monitor: { url } }) {
  const [email, password] = [`${listed.kind}@example.test`, 'figures of a bench'];
  const accounts = { db: database, clock: { now: micros }, secret, passwords: createPasswords() };
  await setPassword(accounts, email, password);
  const response = await fetch(`${url}/api/account/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ email, password }),
  });
  if (response.status !== 200) throw new Error(`the sign-in was answered with ${response.status}`);
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}

function repeated(person, { what, target, path, prepare }) {
  const { pid } = person.place.monitor;
  const ask = typeof path === 'function' ? () => askOf(person, path()) : askOf(person, path);
  return alone({ what, target, pid, ask, prepare });
}

/** Row of a request whose answer the service has just forgotten: checks are cached for 15 s where there are so many. */
async function computed(person, { what, target, path, pauseMs = 15_100 }) {
  const { pid } = person.place.monitor;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const taken = [];
  let cpu = 0;
  for (let n = 0; n < 3; n += 1) {
    await sleep(pauseMs);
    const [before, start] = [cpuSeconds(pid), performance.now()];
    const { status } = await exchange(agent, askOf(person, path));
    if (status !== 200) throw new Error(`${path} was answered with ${status}`);
    taken.push(performance.now() - start);
    cpu += cpuSeconds(pid) - before;
  }
  agent.destroy();
  taken.sort((a, b) => a - b);
  const [, p50, p99] = taken;
  const figure = `${p50.toFixed(1)} ms`;
  process.stderr.write(`  ${what}: ${figure}\n`);
  return { what, figure, target, aloneMs: p50, p50, p99, cpuMs: (cpu * 1e3) / taken.length };
}

function askOf({ place, session, project }, path) {
  return { url: `${place.monitor.url}/api/account${project}${path}`, headers: { cookie: session } };
}
