import { expect, test } from '@jest/globals';
import { combinedSignal, limitByTargets, type RenewalSide, type ServedSide } from './combined-signal.js';

test.each<[RenewalSide, ServedSide, string]>([
  ['well', 'well', 'success'],
  ['well', 'fault', 'fail'],
  ['well', 'recovered', 'success'],
  ['failed', 'well', 'fail'],
  ['failed', 'fault', 'fail'],
  ['failed', 'recovered', 'fail'],
  ['overdue', 'well', 'log'],
  ['overdue', 'fault', 'fail'],
  ['overdue', 'recovered', 'log'],
])('joins a renewal that is %s and targets that are %s to %s', (renewal, served, signal) => {
  expect(combinedSignal(renewal, served)).toBe(signal);
});

test.each([
  ['success', null, 'success'],
  ['success', 'a fault', 'log'],
  ['fail', null, 'fail'],
  ['fail', 'a fault', 'fail'],
  ['log', 'a fault', 'log'],
])('turns a %s of the renewal together with %j into %s', (signal, fault, sent) => {
  expect(limitByTargets(signal, fault)).toBe(sent);
});
