import { describe, expect, test } from 'vitest';
import { parseInstant } from '../../instants.js';
import { durationOf } from './dump-values.js';

const second = 1_000_000;

describe('instant in a dump', () => {
  test.each([
    ['milliseconds', '2026-01-01T11:30:00.123Z', 1_767_267_000_123_000],
    ['whole seconds', '2026-01-01T11:30:00Z', 1_767_267_000_000_000],
    ['microseconds and an offset', '2026-01-01T13:30:00.123456+02:00', 1_767_267_000_123_456],
    ['no zone', '2026-01-01T11:30:00', 1_767_267_000_000_000],
    ['a day that does not exist', '2026-13-01T11:30:00Z', undefined],
    ['a date alone', '2026-01-01', undefined],
    ['nothing', '', undefined],
  ])('reads %s', (_situation, value, expected) => {
    expect(parseInstant(value)).toBe(expected);
  });
});

describe('duration in a dump', () => {
  test.each([
    ['an hour', '01:00:00', 3600 * second],
    ['days', '365 00:00:00', 365 * 86_400 * second],
    ['all parts', '1 02:03:04.000005', 93_784 * second + 5],
    ['a negative duration', '-1 23:59:59', -second],
    ['ISO 8601 of all parts', 'P1DT02H03M04.000005S', 93_784 * second + 5],
    ['ISO 8601 of an hour', 'PT1H', 3600 * second],
    ['ISO 8601, negative', '-P0DT00H00M01S', -second],
    ['ISO 8601 of nothing', 'P', undefined],
    ['seconds as a number', '3600', undefined],
    ['nothing', '', undefined],
  ])('reads %s', (_situation, value, expected) => {
    expect(durationOf(value)).toBe(expected);
  });
});
