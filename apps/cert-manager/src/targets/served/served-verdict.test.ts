import { type ServedClass, servedClasses } from '@certloop/contracts';
import { expect, test } from 'vitest';
import { faultText, severityOf, verdictOf } from './served-verdict.js';

test.each<[ServedClass[], ServedClass | undefined, boolean]>([
  [[], undefined, false],
  [['current'], 'current', false],
  [['current', 'current'], 'current', false],
  [['current', 'stale'], 'stale', true],
  [['previous', 'unreachable', 'current'], 'unreachable', true],
  [['foreign', 'expired'], 'expired', true],
])('of %j is %s, partial %s', (classes, worst, partial) => {
  expect(verdictOf(classes)).toEqual({ class: worst, partial });
});

test('ranks every class', () => {
  expect(servedClasses.map(severityOf).sort((a, b) => a - b)).toEqual(servedClasses.map((_, index) => index));
});

test('names five faults, the worst first, and counts the others', () => {
  expect(faultText([])).toBeUndefined();
  const faults = Array.from({ length: 7 }, (_, index) => ({ class: 'stale' as const, hint: `${index}.` }));
  expect(faultText([...faults, { class: 'expired', hint: 'worst.' }])).toBe(
    'worst.\n0.\n1.\n2.\n3.\n3 more addresses are at fault.',
  );
});
