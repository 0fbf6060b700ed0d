import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectedOf, graceOf } from '../../statuses/attention.js';
import { expectationAfter, isInSync, type SyncedState } from './check-expectation.js';

const at = (text: string) => new Date(`${text}Z`);
const from = at('2026-03-01T12:00:00.000');
const inSeconds = (seconds: number) => new Date(from.getTime() + seconds * 1000);
const year = 31_536_000;

describe('the schedule that the monitor expects', () => {
  test.each([
    [
      '60 days until the renewal, 30 more until the end',
      5_184_000,
      2_592_000,
      { timeout: 5_184_000, grace: 86_400 },
    ],
    [
      '3 days until the renewal, 3 more: a quarter of them',
      259_200,
      259_200,
      { timeout: 259_200, grace: 64_800 },
    ],
    ['half an hour, and half an hour more', 1800, 1800, { timeout: 1800, grace: 450 }],
    ['ten minutes, and ten minutes more: the least grace', 600, 600, { timeout: 600, grace: 300 }],
    ['a minute from now', 60, 86_400, { timeout: 60, grace: 21_600 }],
    ['59 s from now: the least timeout', 59, 86_400, { timeout: 60, grace: 21_599 }],
    ['due already: what is left of the grace', -3600, 86_400, { timeout: 60, grace: 17_940 }],
    ['2 minutes before people must act', -21_480, 86_400, { timeout: 60, grace: 60 }],
    ['a second later: the least grace', -21_481, 86_400, { timeout: 60, grace: 60 }],
    ['four minutes left of 90 days, long due', -86_400, 86_640, { timeout: 60, grace: 60 }],
    ['four minutes, and four more: three of them', 240, 240, { timeout: 240, grace: 180 }],
    ['after the end of the certificate', -3600, -60, { timeout: 60, grace: 60 }],
    ['exactly the largest timeout', year, 864_000, { timeout: year, grace: 86_400 }],
    ['a second more', year + 1, 864_000, { schedule: '2027-03-01 12:00:01', tz: 'UTC', grace: 86_400 }],
    [
      'a part of a second more',
      year + 0.25,
      864_000,
      { schedule: '2027-03-01 12:00:01', tz: 'UTC', grace: 86_400 },
    ],
    ['a date without end', 8_000_000_000, 0, { schedule: '2199-12-31 00:00:00', tz: 'UTC', grace: 60 }],
  ])('%s', (_, seconds, left, expectation) => {
    const [expectedAt, notAfter] = [inSeconds(seconds), inSeconds(seconds + left)];
    const attentionAt = inSeconds(seconds + graceOf({ expectedAt, notAfter }));
    expect(expectationAfter(from, { expectedAt, attentionAt })).toEqual(expectation);
  });

  test('no certificate → the longest period, since a check without pings never goes down', () => {
    expect(expectationAfter(from, undefined)).toEqual({ timeout: year, grace: 86_400 });
  });

  const moment = fc.date({
    min: at('2000-01-01T00:00:00'),
    max: at('2150-01-01T00:00:00'),
    noInvalidDate: true,
  });
  const anyDates = fc.record({
    ping: moment,
    renewalEnabled: fc.boolean(),
    dueAt: moment,
    notBefore: moment,
    expiresAt: moment,
    revokedAt: fc.option(moment, { nil: null, freq: 5 }),
  });

  test('is always within the bounds of the monitor, and never before the renewal', () => {
    fc.assert(
      fc.property(anyDates, ({ ping, renewalEnabled, dueAt, ...certificate }) => {
        const { expectedAt, attentionAt } = expectedOf({ renewalEnabled, dueAt, certificate });
        const expected = expectationAfter(ping, { expectedAt, attentionAt });
        // a grace of less than a minute begins before
        const start = Math.min(expectedAt.getTime(), attentionAt.getTime() - 60_000);
        expect(expected.grace).toBeGreaterThanOrEqual(60);
        expect(expected.grace).toBeLessThanOrEqual(86_400);
        if ('schedule' in expected) {
          const scheduled = at(expected.schedule.replace(' ', 'T')).getTime();
          expect(scheduled - start).toBeGreaterThanOrEqual(0);
          expect(scheduled - start).toBeLessThan(1000);
          expect(scheduled - ping.getTime()).toBeGreaterThan(year * 1000);
        } else {
          expect(expected.timeout).toBeGreaterThanOrEqual(60);
          expect(expected.timeout).toBeLessThanOrEqual(year);
          expect(ping.getTime() + expected.timeout * 1000).toBeGreaterThanOrEqual(start);
        }
      }),
    );
  });

  test('lets the check fall when people must act, to the second, and before the end while that lies ahead', () => {
    fc.assert(
      fc.property(anyDates, ({ ping, renewalEnabled, dueAt, ...certificate }) => {
        const dates = expectedOf({ renewalEnabled, dueAt, certificate });
        const expected = expectationAfter(ping, dates);
        const start =
          'timeout' in expected
            ? ping.getTime() + expected.timeout * 1000
            : at(expected.schedule.replace(' ', 'T')).getTime();
        const fallsAt = start + expected.grace * 1000;
        const soonest = ping.getTime() + 120_000;
        expect(fallsAt).toBeLessThan(Math.max(dates.attentionAt.getTime(), soonest) + 1000);
        const end = certificate.expiresAt.getTime();
        if (certificate.revokedAt === null) expect(dates.attentionAt.getTime()).toBeLessThanOrEqual(end);
      }),
    );
  });
});

describe('whether the monitor is in sync', () => {
  const deadline = inSeconds(5_184_000);
  const now = inSeconds(3600);
  const inSync: SyncedState = { toldDeadline: deadline, toldFrom: from, toldAt: from, pingedAt: from };

  test.each<[string, Partial<SyncedState>, Date | null, boolean]>([
    ['just so', {}, deadline, true],
    ['never', { toldAt: null }, deadline, false],
    ['another deadline', {}, inSeconds(5_184_001), false],
    ['a deadline, and there is none now', {}, null, false],
    ['no deadline, and there is none', { toldDeadline: null }, null, true],
    ['no deadline, and there is one now', { toldDeadline: null }, deadline, false],
    ['not quite a day ago', { toldAt: inSeconds(3600 - 86_399) }, deadline, true],
    ['a day ago', { toldAt: inSeconds(3600 - 86_400) }, deadline, false],
    ['from the making of the check, pinged a minute later', { pingedAt: inSeconds(60) }, deadline, true],
    ['and there was another ping since', { pingedAt: inSeconds(61) }, deadline, false],
    ['and the check was not pinged yet', { pingedAt: null }, deadline, true],
  ])('%s', (_, synced, wanted, isSo) => {
    expect(isInSync({ ...inSync, ...synced }, wanted, now)).toBe(isSo);
  });
});
