// Ways to measure one request against one process. A row is { what, figure, target?, perSecond?, aloneMs?, p50?,
// p99?, cpuMs?, refused?, ratio? }: figure and target are texts, p50, p99 and cpuMs milliseconds of one request.
import { fork } from 'node:child_process';
import { once as nextOf } from 'node:events';
import { Agent, request } from 'node:http';
import { cpuSeconds } from './cpu-time.mjs';

/**
 * Row of as many requests as 16 connections, or `connections`, get answered in `seconds`. `load` is what autocannon
 * takes: url, method, headers, body, requests. The load comes from a process of its own.
 */
export async function underLoad({ what, target, pid, load, seconds, connections = 16 }) {
  const child = fork(new URL('load.mjs', import.meta.url));
  child.send({ seconds, connections, ...load });
  await nextOf(child, 'message');
  const before = cpuSeconds(pid);
  const [result] = await nextOf(child, 'message');
  const cpuMs = ((cpuSeconds(pid) - before) * 1e3) / result.requests;
  const figure = `${Math.round(result.perSecond).toLocaleString('en')}/s`;
  process.stderr.write(`  ${what}: ${figure}\n`);
  return { what, figure, target, cpuMs, ...result };
}

/**
 * Row of one request at a time, `times` of them after as many as 5 to warm up; the figure is the median. `ask` may be a
 * function that gives the next request. `prepare` runs before each one and does not count as its time.
 */
export async function alone({ what, target, pid, ask, prepare = async () => undefined, times = 21 }) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const next = () => (typeof ask === 'function' ? ask() : ask);
  for (let n = 0; n < 5; n += 1) await exchange(agent, next());
  const before = cpuSeconds(pid);
  const taken = [];
  let refused = 0;
  for (let n = 0; n < times; n += 1) {
    await prepare();
    const start = performance.now();
    const { status } = await exchange(agent, next());
    taken.push(performance.now() - start);
    if (status >= 300) refused += 1;
  }
  const cpuMs = ((cpuSeconds(pid) - before) * 1e3) / times;
  agent.destroy();
  taken.sort((a, b) => a - b);
  const [p50, p99] = [0.5, 0.99].map((share) => taken[Math.floor(share * (times - 1))]);
  const figure = `${p50.toFixed(1)} ms`;
  process.stderr.write(`  ${what}: ${figure}\n`);
  return { what, figure, target, aloneMs: p50, p50, p99, cpuMs, refused };
}

/** Row of one long request, whose figure is its time. */
export async function once({ what, target, pid, ask }) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const [before, start] = [cpuSeconds(pid), performance.now()];
  const { status } = await exchange(agent, ask);
  const aloneMs = performance.now() - start;
  const cpuMs = (cpuSeconds(pid) - before) * 1e3;
  agent.destroy();
  const figure = `${(aloneMs / 1e3).toFixed(2)} s`;
  process.stderr.write(`  ${what}: ${figure}\n`);
  return { what, figure, target, aloneMs, cpuMs, refused: status >= 300 ? 1 : 0 };
}

/** Status and body of one request; `ask` is { url, method?, headers?, body? }. */
export function exchange(agent, { url, body, ...options }) {
  return new Promise((resolve, reject) => {
    const asked = request(url, { agent, ...options }, (response) => {
      const parts = [];
      response.on('data', (part) => parts.push(part));
      response.once('error', reject);
      response.once('end', () => resolve({ status: response.statusCode, body: Buffer.concat(parts) }));
    });
    asked.once('error', reject);
    asked.end(body);
  });
}

/** What a bare server gives at this moment: the row, with `aloneMs` of a single request in it. */
export async function measureBaseline({ seconds }) {
  const server = fork(new URL('baseline.mjs', import.meta.url));
  const [{ url }] = await nextOf(server, 'message');
  const what = 'bare node:http (baseline)';
  const row = await underLoad({ what, pid: server.pid, load: { url }, seconds });
  const { aloneMs } = await alone({ what, pid: server.pid, ask: { url }, times: 501 });
  server.disconnect();
  return { ...row, aloneMs };
}
