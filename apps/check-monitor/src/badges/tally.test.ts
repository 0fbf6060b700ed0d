import { describe, expect, test } from 'vitest';
import { Tally } from './tally.js';

function check(uuid: string, tags: string, status: 'up' | 'grace' | 'down') {
  return { uuid, tags, status };
}

describe('tally of checks', () => {
  const counts = (tally: Tally) =>
    Object.fromEntries(['*', ...tally.tags().sort()].map((tag) => [tag, tally.countsOf(tag)]));

  test('counts each check once for each of its tags', () => {
    const tally = new Tally([check('1', 'a  a b', 'up'), check('2', 'a', 'down'), check('3', '', 'grace')]);
    expect(counts(tally)).toEqual({
      '*': { total: 3, grace: 1, down: 1 },
      a: { total: 2, grace: 0, down: 1 },
      b: { total: 1, grace: 0, down: 0 },
    });
  });

  test('replaces and removes one check', () => {
    const tally = new Tally([check('1', 'a', 'up'), check('2', 'a', 'down')]);
    tally.set(check('1', 'b', 'down'));
    expect(counts(tally)).toEqual({
      '*': { total: 2, grace: 0, down: 2 },
      a: { total: 1, grace: 0, down: 1 },
      b: { total: 1, grace: 0, down: 1 },
    });
    tally.remove('2');
    tally.remove('unknown');
    expect(counts(tally)).toEqual({
      '*': { total: 1, grace: 0, down: 1 },
      b: { total: 1, grace: 0, down: 1 },
    });
  });

  test('counts a check with the tag * once', () => {
    expect(counts(new Tally([check('1', '* a', 'up')]))['*']).toEqual({ total: 1, grace: 0, down: 0 });
  });
});
