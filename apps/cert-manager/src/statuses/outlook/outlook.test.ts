import { describe, expect, test } from 'vitest';
import { bucketAt, timelineOf } from './expiry-timeline.js';
import { drainSeconds, rateOf, survivableSeconds } from './outlook.js';

const now = new Date('2026-03-05T12:00:00.000Z');
const day = 86_400;

describe('how long a provider can be unavailable', () => {
  test.each([
    ['without anything to renew', undefined, null],
    ['until what takes a day to be in service', 11 * day, 10 * day],
    ['not at all, when it is too late', 0.5 * day, 0],
    ['not at all, when it was too late', -3 * day, 0],
  ])('%s', (_, seconds, expected) => {
    const firstTooLate = seconds === undefined ? undefined : now.getTime() / 1000 + seconds;
    expect(survivableSeconds({ firstTooLate }, now)).toBe(expected);
  });

  test.each([
    ['a second for each renewal', 'direct', undefined, 300, 300, 300],
    [
      'a second for each renewal by orders, which the limit of new orders exempts',
      'order',
      undefined,
      300,
      0,
      300,
    ],
    ['300 new orders in 3 hours', 'order', undefined, 300, 300, 10_800],
    ['the longer of both', 'order', undefined, 10_000, 100, 10_000],
    ['the rate that the CA has forced', 'order', 36_000, 100, 0, 3600],
    ['that rate by a call too', 'direct', 36_000, 100, 100, 3600],
    ['nothing', 'order', 36_000, 0, 0, 0],
  ] as const)('due renewals take %s', (_, pace, measuredMs, dueIn24h, newIn24h, seconds) => {
    expect(drainSeconds({ dueIn24h, newIn24h }, rateOf('p1', pace, measuredMs))).toBe(seconds);
  });
});

describe('the buckets of a timeline', () => {
  const at = (text: string) => new Date(`${text}Z`);

  test('begin at midnight or on Monday, and cover both ends of the period', () => {
    expect(timelineOf({ bucket: 'day', to: at('2026-03-07T00:00:00') }, now)).toMatchObject({
      start: at('2026-03-05T00:00:00'),
      end: at('2026-03-07T00:00:00'),
      count: 2,
    });
    expect(timelineOf({ bucket: 'week' }, now)).toMatchObject({
      start: at('2026-03-02T00:00:00'),
      count: 27,
    });
    const monday = timelineOf({ bucket: 'week', from: at('2026-03-02T00:00:00') }, now);
    expect(monday).toMatchObject({ start: at('2026-03-02T00:00:00'), count: 26 });
    const before = timelineOf({ bucket: 'week', from: at('2026-03-01T23:59:59.999'), to: now }, now);
    expect(before).toMatchObject({ start: at('2026-02-23T00:00:00'), count: 2 });
  });

  test('are at most 400, and at least one', () => {
    const to = (days: number) => new Date(Date.parse('2026-03-05T00:00:00Z') + days * day * 1000);
    expect(timelineOf({ bucket: 'day', to: to(400) }, now).count).toBe(400);
    expect(() => timelineOf({ bucket: 'day', to: to(401) }, now)).toThrow('at most 400');
    expect(() => timelineOf({ bucket: 'day', from: now, to: now }, now)).toThrow('must be after from');
  });

  test('contain the counts of their period', () => {
    const timeline = timelineOf({ bucket: 'day', to: at('2026-03-07T00:00:00') }, now);
    const indexes = [
      '2026-03-04T23:59:59.999',
      '2026-03-05T00:00:00',
      '2026-03-06T23:59:59.999',
      '2026-03-07T00:00:00',
    ];
    expect(indexes.map((text) => bucketAt(timeline, at(text)))).toEqual([undefined, 0, 1, undefined]);
  });
});
