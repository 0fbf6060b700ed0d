// The order of a run over every package: what needs long comes first, so that no worker is left alone with it.
import { readFileSync } from 'node:fs';

/** Files of the end-to-end tests, and those that ask for more time than others, come first; then the largest. */
export default class SlowestFirst {
  sort(tests) {
    const weights = new Map(tests.map((test) => [test, weightOf(test.path)]));
    return tests.toSorted((one, other) => weights.get(other) - weights.get(one));
  }

  /** Nothing is remembered: every run has the same order. */
  cacheResults() {}
}

function weightOf(path) {
  const text = readFileSync(path, 'utf8');
  const isSlow = path.includes('/packages/e2e/') || text.includes('jest.setTimeout(');
  return text.length + (isSlow ? 1e9 : 0);
}
