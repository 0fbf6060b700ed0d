// Badges of a project of many checks: one that has to be computed, and one that is asked for again.

import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuSeconds } from '../measuring/cpu-time.mjs';
import { alone, exchange } from '../measuring/measure.mjs';

/** Rows for the badge of all checks of the project of `keys`, which has `count` of them. */
export async function measureBadges({ monitor: { url, pid } }, { keys, count }) {
  const what = `badge of ${count.toLocaleString('en')} checks`;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { 'x-api-key': keys.readOnlyKey };
  const { body } = await exchange(agent, { url: `${url}/api/v3/badges/`, headers });
  const ask = { url: url + new URL(JSON.parse(body).badges['*'].json3).pathname };
  const rows = [await computed({ what, agent, pid, ask })];
  agent.destroy();
  rows.push(await alone({ what: `${what}, again`, target: '1 ms', pid, ask, times: 51 }));
  return rows;
}

/** After a second, a badge is computed anew. */
async function computed({ what, agent, pid, ask }) {
  const taken = [];
  let cpu = 0;
  for (let n = 0; n < 9; n += 1) {
    await sleep(1010);
    const before = cpuSeconds(pid);
    const start = performance.now();
    await exchange(agent, ask);
    taken.push(performance.now() - start);
    cpu += cpuSeconds(pid) - before;
  }
  taken.sort((a, b) => a - b);
  const [p50, p99] = [taken[4], taken[8]];
  const figure = `${p50.toFixed(1)} ms`;
  process.stderr.write(`  ${what}, computed: ${figure}\n`);
  return {
    what: `${what}, computed`,
    figure,
    target: '40 ms',
    aloneMs: p50,
    p50,
    p99,
    cpuMs: (cpu * 1e3) / taken.length,
  };
}
