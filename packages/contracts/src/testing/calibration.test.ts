import { expect, test } from '@jest/globals';
import { calibratedMs } from './calibration.js';

test('never lowers a bound, and scales all bounds alike', () => {
  expect(calibratedMs(50)).toBeGreaterThanOrEqual(50);
  expect(calibratedMs(0)).toBe(0);
});
