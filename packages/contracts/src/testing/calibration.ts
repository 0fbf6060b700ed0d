/** CPU milliseconds of the loop on the machine on which the bounds of tests were chosen. */
const referenceMs = 10;

/**
 * Bound for CPU time on this machine: `ms` on the machine on which bounds were chosen, multiplied by how much longer
 * the calibration loop takes here and now, and never less than `ms`. Call it in the test that asserts the bound.
 */
export function calibratedMs(ms: number): number {
  return ms * Math.max(1, loopMs() / referenceMs);
}

/** The second smallest of five runs: the first ones compile the loop, and one run may profit from an idle moment. */
function loopMs(): number {
  const runs = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return runs.toSorted((one, other) => one - other)[1] ?? referenceMs;
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
