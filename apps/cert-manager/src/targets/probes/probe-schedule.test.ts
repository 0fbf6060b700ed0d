import { expect, test } from 'vitest';
import { firstProbeAt, nextProbeAt, scheduledFrom } from './probe-schedule.js';

const stored = new Date('2026-03-01T00:00:00.000Z');
const at = (seconds: number) => new Date(stored.getTime() + seconds * 1000);

test.each([
  ['right after storing', 0, [], 0.5, 60],
  ['a second before the first minute', 59, [], 0.5, 60],
  ['at the first minute', 60, [], 0.5, 300],
  ['after 5 minutes', 300, [], 0.5, 1800],
  ['after 30 minutes', 1800, [], 0.5, 1800 + 21_600],
  ['after 30 minutes, earliest', 1800, [], 0, 1800 + 19_440],
  ['after 30 minutes, latest', 1800, [], 1, 1800 + 23_760],
  ['before a turn', 1800, [5000], 0.5, 5000],
  ['after a turn', 5000, [5000], 0.5, 26_600],
])('%s', (_, now, turns, random, expected) => {
  const terms = { now: at(now), storedAt: stored, everySeconds: 21_600, turns: turns.map(at), random };
  expect(nextProbeAt(terms)).toEqual(at(expected));
});

test('without a certificate follows the period alone', () => {
  const terms = { now: at(0), storedAt: undefined, everySeconds: 60, turns: [], random: 0.5 };
  expect(nextProbeAt(terms)).toEqual(at(60));
  expect(firstProbeAt(stored)).toEqual(at(60));
});

test.each([
  ['a certificate', null, { createdAt: at(9) }, at(9)],
  ['a certificate that was adopted', true, { createdAt: at(9) }, at(9)],
  ['none yet, which is to be adopted', true, undefined, at(0)],
  ['none', null, undefined, undefined],
])('with %s follows its steps from then', (_, adopt, newest, expected) => {
  expect(scheduledFrom({ adopt, createdAt: at(0) }, newest)).toEqual(expected);
});
