import { expect, test } from 'vitest';
import { lifeMarks } from './life-line-marks.js';

const life = { notBefore: 0, renewAt: 60, expiresAt: 100 };

test.each([
  [
    'young',
    life,
    30,
    [
      ['ok', 0.6],
      ['warn', 0.4],
    ],
    0.3,
  ],
  [
    'due',
    life,
    80,
    [
      ['ok', 0.6],
      ['warn', 0.4],
    ],
    0.8,
  ],
  [
    'expired',
    life,
    200,
    [
      ['ok', 0.3],
      ['warn', 0.2],
      ['bad', 0.5],
    ],
    1,
  ],
  [
    'not valid yet',
    life,
    -50,
    [
      ['ok', 0.6],
      ['warn', 0.4],
    ],
    0,
  ],
  [
    'never renewed',
    { notBefore: 0, expiresAt: 90 },
    10,
    [
      ['ok', 2 / 3],
      ['warn', 1 / 3],
    ],
    1 / 9,
  ],
  ['renewed at its very end', { ...life, renewAt: 100 }, 10, [['ok', 1]], 0.1],
  ['with a renewal after its end', { ...life, renewAt: 150 }, 10, [['ok', 1]], 0.1],
  ['of zero length', { notBefore: 5, expiresAt: 5 }, 5, [['bad', 1]], 0],
] as const)('draws a certificate that is %s', (_, given, now, parts, place) => {
  const marks = lifeMarks(given, now);
  expect(marks.parts.map(({ tone, share }) => [tone, share])).toEqual(
    parts.map(([tone, share]) => [tone, expect.closeTo(share, 9)]),
  );
  expect(marks.now).toBeCloseTo(place, 9);
  expect(marks.parts.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 9);
});

test.each([
  ['within the life', { from: 50, to: 70 }, 30, { from: 0.5, share: 0.2 }],
  ['that began before it', { from: -10, to: 20 }, 30, { from: 0, share: 0.2 }],
  ['that ends after it', { from: 90, to: 130 }, 30, { from: 0.9, share: 0.1 }],
  ['of a certificate that has expired', { from: 50, to: 70 }, 200, { from: 0.25, share: 0.1 }],
] as const)('draws a window of the CA %s', (_, window, now, expected) => {
  const { window: drawn } = lifeMarks({ ...life, window }, now);
  expect(drawn?.from).toBeCloseTo(expected.from, 9);
  expect(drawn?.share).toBeCloseTo(expected.share, 9);
});

test.each([
  ['after the expiry', { from: 110, to: 120 }],
  ['without a length', { from: 50, to: 50 }],
  ['that is absent', undefined],
])('draws no window %s', (_, window) => {
  expect(lifeMarks({ ...life, window }, 30).window).toBeUndefined();
});
