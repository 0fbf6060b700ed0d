// The order of a run over several packages: what needs long comes first, so that no worker is left alone with it.
import { readFileSync } from 'node:fs';

/** What only files write that start a browser or other processes, themselves or by what supports them. */
const startsProcesses =
  /(Browser|Console|Form)\w*\(|hasProgram|spawn\(|beginLife|runCli|startMonitor|startDelivering|startTestStack/;

/**
 * First the files that collect garbage on purpose, as a collection takes the longer the more their worker has loaded;
 * then those that start a browser or other processes, then the rest; of each the largest first.
 */
export default class SlowestFirst {
  sort(tests) {
    const texts = new Map(tests.map((test) => [test, readFileSync(test.path, 'utf8')]));
    const has = (pattern) => (test) => Number(pattern.test(texts.get(test)));
    const [collects, isLong] = [has(/--expose-gc/), has(startsProcesses)];
    const lengthOf = (test) => texts.get(test).length;
    return tests.toSorted(
      (one, other) =>
        collects(other) - collects(one) || isLong(other) - isLong(one) || lengthOf(other) - lengthOf(one),
    );
  }

  /** Nothing is remembered: every run has the same order. */
  cacheResults() {}
}
