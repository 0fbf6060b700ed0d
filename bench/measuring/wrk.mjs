// Load by wrk where it is installed, since it takes less of the machine than a load generator on Node does.
import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cpuSeconds } from './cpu-time.mjs';
import { underLoad } from './measure.mjs';

const run = promisify(execFile);
const hasWrk = spawnSync('wrk', ['--version']).error === undefined;
if (!hasWrk)
  process.stderr.write('wrk is not installed: autocannon takes its place and slows what it measures\n');

/**
 * Row of as many posts of the bodies in turn as 16 connections get answered in `seconds`; `folder` is for files of
 * the run.
 */
export async function postedInTurn({ what, target, pid, url, bodies, seconds, folder }) {
  const headers = { 'content-type': 'application/json' };
  if (!hasWrk) {
    const requests = bodies.map((body) => ({ method: 'POST', headers, body }));
    return underLoad({ what, target, pid, load: { url, requests }, seconds });
  }
  return byWrk({ what, target, pid, url, seconds, script: scriptFor(folder, new URL(url), bodies) });
}

/** The same of GET requests to the paths in turn. */
export async function askedInTurn({ what, target, pid, url, paths, seconds, folder }) {
  if (!hasWrk) {
    const requests = paths.map((path) => ({ path }));
    return underLoad({ what, target, pid, load: { url, requests }, seconds });
  }
  const [list, script] = [join(folder, 'paths.txt'), join(folder, 'get.lua')];
  writeFileSync(list, `${paths.join('\n')}\n`);
  writeFileSync(script, scriptOf(list, '"GET", line, {}'));
  return byWrk({ what, target, pid, url, seconds, script });
}

async function byWrk({ what, target, pid, url, seconds, script }) {
  const load = async (duration) =>
    (await run('wrk', ['-t1', '-c16', `-d${duration}`, '--latency', '-s', script, url])).stdout;
  await load(2);
  const before = cpuSeconds(pid);
  const said = await load(seconds);
  const requests = Number(/(\d+) requests in/.exec(said)?.[1]);
  const perSecond = Number(/Requests\/sec:\s+([\d.]+)/.exec(said)?.[1]);
  const figure = `${Math.round(perSecond).toLocaleString('en')}/s`;
  process.stderr.write(`  ${what}: ${figure}\n`);
  return {
    what,
    figure,
    target,
    perSecond,
    p50: latency(said, '50'),
    p99: latency(said, '99'),
    cpuMs: ((cpuSeconds(pid) - before) * 1e3) / requests,
    refused: Number(/Non-2xx or 3xx responses: (\d+)/.exec(said)?.[1] ?? 0),
  };
}

/** Milliseconds of a share of the requests. */
function latency(said, share) {
  const [, value, unit] = new RegExp(`\\s${share}%\\s+([\\d.]+)(us|ms|s)\\b`).exec(said) ?? [];
  return Number(value) * { us: 0.001, ms: 1, s: 1_000 }[unit];
}

function scriptFor(folder, { pathname, host }, bodies) {
  const [texts, script] = [join(folder, 'bodies.txt'), join(folder, 'post.lua')];
  writeFileSync(texts, `${bodies.join('\n')}\n`);
  const headers = `{ ["Content-Type"] = "application/json", ["Host"] = "${host}" }`;
  writeFileSync(script, scriptOf(texts, `"POST", "${pathname}", ${headers}, line`));
  return script;
}

/** Script of a request, in the words of `wrk.format`, for each line of a file in turn. */
function scriptOf(file, request) {
  return `local requests, turn = {}, 0
function init()
  for line in io.lines("${file}") do
    requests[#requests + 1] = wrk.format(${request})
  end
end
function request()
  turn = turn % #requests + 1
  return requests[turn]
end
`;
}
