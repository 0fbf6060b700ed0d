import { describe, expect, test } from 'vitest';
import { isoMicros, isoSeconds, microsOf } from './instants.js';

const noon = microsOf(new Date('2026-01-02T12:00:00Z'));

describe('instants as text', () => {
  test.each([
    ['a whole second', noon, '2026-01-02T12:00:00+00:00', '2026-01-02T12:00:00+00:00'],
    ['one microsecond', noon + 1, '2026-01-02T12:00:00+00:00', '2026-01-02T12:00:00.000001+00:00'],
    [
      'just before the next second',
      noon + 999_999,
      '2026-01-02T12:00:00+00:00',
      '2026-01-02T12:00:00.999999+00:00',
    ],
    [
      'the last second of a leap day',
      microsOf(new Date('2028-02-29T23:59:59Z')),
      '2028-02-29T23:59:59+00:00',
      '2028-02-29T23:59:59+00:00',
    ],
    ['the first second of all', 0, '1970-01-01T00:00:00+00:00', '1970-01-01T00:00:00+00:00'],
  ])('%s', (_situation, instant, seconds, micros) => {
    expect([isoSeconds(instant), isoMicros(instant)]).toEqual([seconds, micros]);
  });
});
