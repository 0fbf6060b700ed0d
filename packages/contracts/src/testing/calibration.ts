/** CPU milliseconds of the loop on the machine on which the bounds of tests were chosen. */
const referenceMs = 10;

/**
 * Bound for CPU time on this machine: `ms` on the machine on which bounds were chosen, multiplied by how much longer
 * the calibration loop takes here and now, and never less than `ms`. Call it in the test that asserts the bound.
 */
export function calibratedMs(ms: number): number {
  return ms * Math.max(1, loopMs() / referenceMs);
}

/**
 * CPU milliseconds that are more than is allowed: the fewest of three measurements of the same work, undefined as soon
 * as one of them is within the bound. Compiling code and others on the same core make one longer now and then, but work
 * that takes too long does so each time. `undefined` from `measure` counts as within: the system does not report it.
 */
export async function excessMs(
  allowedMs: number,
  measure: () => number | undefined | Promise<number | undefined>,
): Promise<number | undefined> {
  let fewest = Number.POSITIVE_INFINITY;
  for (let times = 0; times < 3; times += 1) {
    const ms = await measure();
    // calibrated at once: the machine may be slower than it was when the test began
    if (ms === undefined || ms < allowedMs || ms < calibratedMs(allowedMs)) return undefined;
    fewest = Math.min(fewest, ms);
  }
  return fewest;
}

/** CPU milliseconds that the process takes for the work. */
export function cpuMsOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/**
 * The largest of five runs after two that compile the loop: what others do on the machine at the time makes some work
 * longer, and of what a test measures often the longest part counts.
 */
function loopMs(): number {
  const runs = Array.from({ length: 7 }, () => cpuMsOf(work));
  return Math.max(...runs.slice(2));
}

/** Fixed work of the kinds that services do for requests: texts, objects and numbers. */
function work(): number {
  let sum = 0;
  for (let round = 0; round < 10; round += 1) {
    const rows = Array.from({ length: 400 }, (_, n) => ({
      n,
      name: `host-${n}.example.test`,
      tags: ['a', 'b'],
    }));
    const text = JSON.stringify(rows);
    sum += JSON.parse(text).length + text.split(/[.,]/).length;
    for (let n = 0; n < 100_000; n += 1) sum = (Math.imul(sum, 31) + n) | 0;
  }
  return sum;
}
