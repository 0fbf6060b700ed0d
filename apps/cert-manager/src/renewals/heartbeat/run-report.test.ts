import { describe, expect, test } from 'vitest';
import { describeRun, hasSucceeded, type RunReport } from './run-report.js';

const quiet: RunReport = {
  renewed: 0,
  failed: [],
  broken: 0,
  lapsed: 0,
  obstacles: [],
  troubled: { count: 0, first: undefined },
  forbidden: { count: 0, first: undefined },
  isDone: true,
};
const failure = (fqdn: string, isLongExpired = false) => ({ fqdn, reason: 'no', isLongExpired });

describe('the report of a run', () => {
  test.each<[string, Partial<RunReport>, string]>([
    ['nothing due', {}, '0 renewed, 0 failed'],
    [
      'some of each',
      { renewed: 3, failed: [failure('a.example'), failure('b.example', true)] },
      '3 renewed, 2 failed (a.example: no; b.example: no (expired over 30 days ago))',
    ],
    [
      'many failures',
      { failed: 'abcdefg'.split('').map((name) => failure(name)) },
      '0 renewed, 7 failed (a: no; b: no; c: no; d: no; e: no; and 2 more)',
    ],
    [
      'everything a report can contain',
      {
        broken: 1,
        lapsed: 2,
        obstacles: ['provider is disabled: dummy-ca'],
        troubled: { count: 4, first: 'a.example' },
      },
      '0 renewed, 0 failed, 1 stopped by an unexpected error, 2 taken over from workers that stopped, ' +
        '4 keep failing, the first is a.example, renewals wait: provider is disabled: dummy-ca',
    ],
  ])('%s', (_, change, text) => {
    expect(describeRun({ ...quiet, ...change })).toBe(text);
  });

  test.each<[string, Partial<RunReport>, boolean]>([
    ['nothing due', {}, true],
    ['one failed, and will be tried again', { failed: [failure('a')] }, true],
    ['a worker stopped', { lapsed: 1 }, true],
    ['a provider is disabled', { obstacles: ['provider is disabled: dummy-ca'] }, true],
    ['one expired over 30 days ago', { failed: [failure('a', true)] }, false],
    ['one keeps failing', { troubled: { count: 1, first: 'a' } }, false],
    ['an unexpected error stopped one', { broken: 1 }, false],
  ])('has succeeded or not: %s', (_, change, expected) => {
    expect(hasSucceeded({ ...quiet, ...change })).toBe(expected);
  });
});
