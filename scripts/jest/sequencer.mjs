// The order of a run over every package: what needs long comes first, so that no worker is left alone with it.
import { readFileSync } from 'node:fs';

/**
 * First the end-to-end tests, each of which starts a stack, in turn with other files that ask for more time, so that
 * few stacks run at once; then the rest. Of each the largest first.
 */
export default class SlowestFirst {
  sort(tests) {
    const found = tests.map((test) => ({ test, text: readFileSync(test.path, 'utf8') }));
    const sorted = found.toSorted((one, other) => other.text.length - one.text.length);
    const of = (kind) => sorted.filter((each) => kindOf(each) === kind).map(({ test }) => test);
    return [...inTurn(of('stack'), of('long')), ...of('other')];
  }

  /** Nothing is remembered: every run has the same order. */
  cacheResults() {}
}

function kindOf({ test, text }) {
  if (test.path.includes('/packages/e2e/')) return 'stack';
  return text.includes('jest.setTimeout(') ? 'long' : 'other';
}

function inTurn(some, others) {
  const longer = Math.max(some.length, others.length);
  return Array.from({ length: longer }, (_, index) => [some[index], others[index]])
    .flat()
    .filter((each) => each !== undefined);
}
