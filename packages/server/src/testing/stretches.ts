import { readFileSync } from 'node:fs';

/**
 * Measures how much CPU time the main thread takes without a turn for others. Time that it waits for a core does not
 * count, so that a busy machine does not make a stretch longer. `stop` returns the longest one in milliseconds, to which
 * a turn of some milliseconds before it may have added; undefined where the system does not report CPU time by thread.
 */
export function watchStretches(): { readonly stop: () => number | undefined } {
  let last = mainThreadMs();
  let maxMs = 0;
  const look = () => {
    const now = mainThreadMs();
    if (now !== undefined && last !== undefined) maxMs = Math.max(maxMs, now - last);
    last = now;
  };
  const timer = setInterval(look, 1);
  return {
    stop: () => {
      clearInterval(timer);
      look();
      return last === undefined ? undefined : maxMs;
    },
  };
}

/** CPU time of the main thread since its start. */
function mainThreadMs(): number | undefined {
  try {
    const [nanoseconds] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ');
    return Number(nanoseconds) / 1e6;
  } catch {
    return undefined;
  }
}
