import { expect, test } from 'vitest';
import { calibratedMs, excessMs } from './calibration.js';

test('never lowers a bound, and scales all bounds alike', () => {
  expect(calibratedMs(50)).toBeGreaterThanOrEqual(50);
  expect(calibratedMs(0)).toBe(0);
});

test.each<[string, (number | undefined)[], number | undefined]>([
  ['the first is within', [49], undefined],
  ['the third is within', [9_000_000, 8_000_000, 49], undefined],
  ['none is within', [9_000_000, 7_000_000, 8_000_000], 7_000_000],
  ['the system reports none', [undefined], undefined],
])('of three measurements, %s', async (_situation, measurements, excess) => {
  const left = [...measurements];
  expect(await excessMs(50, () => left.shift())).toBe(excess);
  expect(left).toEqual([]);
});
