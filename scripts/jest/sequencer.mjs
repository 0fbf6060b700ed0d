// The order of a run over several packages: what needs long comes first, so that no worker is left alone with it.
import { readFileSync } from 'node:fs';

/** First the files that ask for more time than others, then the rest; of each the largest first. */
export default class SlowestFirst {
  sort(tests) {
    const texts = new Map(tests.map((test) => [test, readFileSync(test.path, 'utf8')]));
    const isLong = (test) => texts.get(test).includes('jest.setTimeout(');
    const sorted = tests.toSorted((one, other) => texts.get(other).length - texts.get(one).length);
    return [...sorted.filter(isLong), ...sorted.filter((test) => !isLong(test))];
  }

  /** Nothing is remembered: every run has the same order. */
  cacheResults() {}
}
