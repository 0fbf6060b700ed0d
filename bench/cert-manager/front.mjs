// Suite `front`: complete issuances by ACME clients of a space, beside those by dummy-ca's own ACME, and nonces meanwhile, with
// 10,000 accounts and 100,000 orders in the tables, on both databases.
import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { generateKeyPair } from '../../packages/crypto/dist/src/index.js';
import { measureOnEach, settle } from '../databases.mjs';
import { measureOwnAcme } from '../dummy-ca/acme-issuing.mjs';
import { countIssued, issueOnce } from '../measuring/acme-load.mjs';
import { cpuSeconds } from '../measuring/cpu-time.mjs';
import { underLoad } from '../measuring/measure.mjs';
import { addAcmeClient, openProgram, seedUse } from './front-load.mjs';
import { withManager } from './manager-place.mjs';

const [programs, crowd] = [16, 1_000];
const environment = { ENCRYPTION_KEYS: `bench:${Buffer.alloc(32, 7).toString('base64')}` };

export const front = {
  name: 'front',
  isLong: true,
  run: ({ seconds, dialects }) =>
    measureOnEach(dialects, (one) => withManager(one, (place) => measureFront(place, seconds), environment)),
};

async function measureFront(place, seconds) {
  const { privateKey: leafKey } = await generateKeyPair('P-256');
  const { body: space } = await place.client.createSpace({ body: { name: 'ACME' } });
  const agent = new Agent({ keepAlive: true });
  const settings = { agent, leafKey, spaceId: space.id };
  try {
    const key = await addAcmeClient(place, space.id);
    await issueOnce(await openProgram(place, agent, key), { name: 'first.example.test', leafKey });
    await seedUse(place, { accounts: 10_000, orders: 100_000 });
    await settle(place);
    return [
      await nonces(place, { what: 'newNonce, 16 connections', target: 'p99 5 ms', seconds }),
      ...(await issuances(place, settings, seconds)),
      ...(await oneMinute(place, settings)),
    ];
  } finally {
    agent.destroy();
  }
}

const nonces = ({ manager }, { what, target, seconds, ...load }) =>
  underLoad({
    what,
    target,
    pid: manager.pid,
    seconds,
    load: { url: `${manager.url}/acme/new-nonce`, ...load },
  });

/** Programs with an ACME client each, and beside them, before and after, as many at a dummy-ca's own ACME. */
async function issuances(place, { agent, leafKey, spaceId }, seconds) {
  const clients = [];
  for (let n = 0; n < programs; n += 1)
    clients.push(await openProgram(place, agent, await addAcmeClient(place, spaceId)));
  const issue = (part, length) =>
    countIssued({ clients, leafKey, seconds: length, nameOf: (at, n) => `n${n}.${part}${at}.example.test` });
  await issue('warm', 2);
  const earlier = await measureOwnAcme({ seconds: seconds / 2, count: programs });
  const before = cpuSeconds(place.manager.pid);
  const issued = await issue('client', seconds);
  const cpuMs = ((cpuSeconds(place.manager.pid) - before) * 1000) / issued;
  const later = await measureOwnAcme({ seconds: seconds / 2, count: programs });
  const own = (earlier.perSecond + later.perSecond) / 2;
  return [
    {
      what: `${programs} programs at dummy-ca's own ACME, http-01`,
      figure: perSecondText(own),
      cpuMs: (earlier.cpuMs + later.cpuMs) / 2,
      ratio: 1,
    },
    {
      what: `${programs} programs by ACME clients; the ratio is to dummy-ca's own`,
      figure: perSecondText(issued / seconds),
      target: 'half of dummy-ca',
      cpuMs,
      ratio: issued / seconds / own,
    },
  ];
}

/** 1,000 programs that each get a certificate within the same minute, and nonces meanwhile. */
async function oneMinute(place, { agent, leafKey, spaceId }) {
  const keys = [];
  for (let n = 0; n < 10; n += 1) keys.push(await addAcmeClient(place, spaceId));
  const clients = [];
  for (let n = 0; n < crowd; n += 1) clients.push(await openProgram(place, agent, keys[n % keys.length]));
  const asked = nonces(place, {
    what: 'newNonce meanwhile, 50 a second',
    target: 'p99 50 ms',
    seconds: 60,
    connections: 4,
    overallRate: 50,
  });
  // the first two seconds of that load are not counted
  await delay(2_000);
  const taken = [];
  let refused = 0;
  const work = async (client, n) => {
    await delay(((n * 7_919) % crowd) * (60_000 / crowd));
    const start = performance.now();
    await client.fetchNonce();
    await issueOnce(client, { name: `crowd-${n}.example.test`, leafKey }).then(
      () => taken.push(performance.now() - start),
      () => (refused += 1),
    );
  };
  await Promise.all(clients.map(work));
  taken.sort((a, b) => a - b);
  const [p50, p99] = [0.5, 0.99].map((share) => taken[Math.floor(share * (taken.length - 1))]);
  const figure = `${taken.length} of ${crowd}`;
  return [{ what: '1,000 programs in one minute, all issued', figure, p50, p99, refused }, await asked];
}

const perSecondText = (perSecond) => `${perSecond.toFixed(0)}/s`;
