import { describe, expect, test } from 'vitest';
import { countStatus, noChecks, reportOf } from './badge-status.js';

describe('report of a badge', () => {
  test.each([
    ['no check', [], 3, { status: 'up', total: 0, grace: 0, down: 0 }],
    ['all up', ['up', 'up'], 3, { status: 'up', total: 2, grace: 0, down: 0 }],
    ['new and paused count as up', ['new', 'paused'], 3, { status: 'up', total: 2, grace: 0, down: 0 }],
    ['one late, three states', ['up', 'grace'], 3, { status: 'late', total: 2, grace: 1, down: 0 }],
    [
      'one late, two states: counted all the same',
      ['grace'],
      2,
      { status: 'up', total: 1, grace: 1, down: 0 },
    ],
    ['one down', ['up', 'down', 'up'], 2, { status: 'down', total: 3, grace: 0, down: 1 }],
    ['down before late', ['grace', 'down', 'grace'], 3, { status: 'down', total: 3, grace: 2, down: 1 }],
    [
      'a check that goes down last',
      ['up', 'grace', 'down'],
      3,
      { status: 'down', total: 3, grace: 1, down: 1 },
    ],
  ] as const)('%s', (_situation, statuses, states, report) => {
    const counts = statuses.reduce((sum, status) => countStatus(sum, status, 1), noChecks);
    expect(reportOf(counts, states)).toEqual(report);
    expect(statuses.reduce((sum, status) => countStatus(sum, status, -1), counts)).toEqual(noChecks);
  });
});
