import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planRenewal } from '../renewal-policy.js';
import { dueAfterLapse, type FailedTry, isLongExpired, nextTry } from './retry-policy.js';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const now = new Date('2026-05-01T12:00:00Z');
const at = (ms: number) => new Date(now.getTime() + ms);

/** A certificate of 90 days with `left` milliseconds to go. */
const usual = (left: number) => ({ notBefore: at(left - 90 * day), notAfter: at(left) });
/** One of an hour. */
const brief = (left: number) => ({ notBefore: at(left - hour), notAfter: at(left) });

type Case = [string, Omit<FailedTry, 'now'>, number];

describe('the next attempt before the expiry', () => {
  test.each<Case>([
    ['after the first one, a minute', { attempt: 1, ...usual(30 * day) }, minute],
    ['after the second one, 10 minutes', { attempt: 2, ...usual(30 * day) }, 10 * minute],
    ['after the third one, 100 minutes', { attempt: 3, ...usual(30 * day) }, 100 * minute],
    ['after the fourth one, a day', { attempt: 4, ...usual(30 * day) }, day],
    ['after the hundredth one, a day', { attempt: 100, ...usual(30 * day) }, day],
    ['eight days left, a day', { attempt: 9, ...usual(8 * day) }, day],
    ['two days left, an eighth of them', { attempt: 9, ...usual(2 * day) }, 6 * hour],
    ['half an hour of an hour left, first try', { attempt: 1, ...brief(30 * minute) }, minute],
    ['half an hour of an hour left', { attempt: 9, ...brief(30 * minute) }, 225_000],
    ['four minutes of an hour left', { attempt: 9, ...brief(4 * minute) }, 30_000],
    ['a second of an hour left', { attempt: 9, ...brief(1000) }, 30_000],
    ['a second of 90 days left', { attempt: 9, ...usual(1000) }, minute],
    ['a permanent fault, a day', { attempt: 1, ...usual(30 * day), isPermanent: true }, day],
    ['a permanent fault, a day left', { attempt: 1, ...usual(day), isPermanent: true }, 3 * hour],
    ['a permanent fault, 30 s of an hour left', { attempt: 1, ...brief(30_000), isPermanent: true }, 30_000],
    ['no validation, 20 minutes', { attempt: 1, ...usual(30 * day), isValidation: true }, 20 * minute],
    [
      'no validation the third time, 100 minutes',
      { attempt: 3, ...usual(30 * day), isValidation: true },
      100 * minute,
    ],
    ['no validation, an hour left', { attempt: 1, ...usual(hour), isValidation: true }, 20 * minute],
    ['the CA wants two days', { attempt: 1, ...usual(30 * day), retryAt: at(2 * day) }, 2 * day],
    ['the CA wants less', { attempt: 4, ...usual(30 * day), retryAt: at(0) }, day],
    ['the CA wants a year', { attempt: 1, ...usual(30 * day), retryAt: at(365 * day) }, 3.75 * day],
    [
      'the CA wants a month of an hour',
      { attempt: 1, ...brief(30 * minute), retryAt: at(30 * day) },
      225_000,
    ],
    [
      'a rate limit of a year counts until the last tenth',
      { attempt: 1, ...usual(30 * day), retryAt: at(365 * day), isRateLimited: true },
      21 * day,
    ],
    [
      'a rate limit of an hour counts',
      { attempt: 1, ...usual(30 * day), retryAt: at(hour), isRateLimited: true },
      hour,
    ],
    [
      'a rate limit in the last tenth counts for an eighth of what is left',
      { attempt: 1, ...usual(8 * day), retryAt: at(365 * day), isRateLimited: true },
      day,
    ],
  ])('%s', (_, failed, delay) => {
    expect(nextTry({ now, ...failed }).getTime() - now.getTime()).toBe(delay);
  });
});

describe('the next attempt after the expiry', () => {
  test.each<Case>([
    ['the first tries as usual', { attempt: 2, ...usual(-day) }, 10 * minute],
    ['90 days of lifetime, a day', { attempt: 9, ...usual(-1) }, day],
    ['at the very moment, a day', { attempt: 9, ...usual(0) }, day],
    ['an hour of lifetime, 6 minutes', { attempt: 9, ...brief(-5 * hour) }, 6 * minute],
    [
      '3 minutes of lifetime, a minute',
      { attempt: 9, notBefore: at(-4 * minute), notAfter: at(-minute) },
      minute,
    ],
    ['a permanent fault, at once a tenth', { attempt: 9, ...brief(-1), isPermanent: true }, 6 * minute],
    ['a permanent fault, an hour later an hour', { attempt: 9, ...brief(-hour), isPermanent: true }, hour],
    ['a permanent fault, a week later a day', { attempt: 9, ...brief(-7 * day), isPermanent: true }, day],
    ['no validation, 20 minutes', { attempt: 9, ...brief(-hour), isValidation: true }, 20 * minute],
    ['the CA wants a year', { attempt: 9, ...brief(-hour), retryAt: at(365 * day) }, 6 * minute],
    [
      'a rate limit of a year',
      { attempt: 9, ...brief(-hour), retryAt: at(365 * day), isRateLimited: true },
      6 * minute,
    ],
    ['30 days later, a day', { attempt: 9, ...brief(-31 * day) }, day],
    ['a year later, a day', { attempt: 99, ...usual(-365 * day), isPermanent: true }, day],
  ])('%s', (_, failed, delay) => {
    expect(nextTry({ now, ...failed }).getTime() - now.getTime()).toBe(delay);
  });

  test.each([
    [29.9 * day, false],
    [30 * day, false],
    [30 * day + 1, true],
  ])('an expiry %d ms ago is long ago: %s', (ms, expected) => {
    expect(isLongExpired({ now, notAfter: at(-ms) })).toBe(expected);
  });
});

const anyLifetime = fc.integer({ min: 10 * minute, max: 365 * day });
/** Demands of an absurd CA: nothing, or any moment from yesterday to ten years ahead, as a rate limit or not. */
const anyAnswer = fc.record({
  wait: fc.option(fc.integer({ min: -day, max: 3650 * day }), { nil: undefined }),
  isRateLimited: fc.boolean(),
});
type Answer = { readonly wait: number | undefined; readonly isRateLimited: boolean };

/** Moments of the tries from the usual renewal on, until one is at or after `until`. */
function triesOf(lifetime: number, answers: readonly Answer[], until: (notAfter: Date) => number) {
  const [notBefore, notAfter] = [now, at(lifetime)];
  const tries: number[] = [];
  let moment = planRenewal({ notBefore, notAfter, seed: 'a' }).renewAt;
  for (let attempt = 1; moment.getTime() < until(notAfter); attempt += 1) {
    tries.push(moment.getTime());
    const { wait, isRateLimited } = answers[attempt % answers.length] ?? {
      wait: undefined,
      isRateLimited: false,
    };
    const retryAt = wait === undefined ? undefined : new Date(moment.getTime() + wait);
    moment = nextTry({ attempt, now: moment, notBefore, notAfter, retryAt, isRateLimited });
  }
  return { tries, next: moment.getTime(), expiry: notAfter.getTime() };
}

describe('for any responses of a CA and lifetimes of ten minutes to a year', () => {
  const anyAnswers = fc.array(anyAnswer, { minLength: 1, maxLength: 5 });

  test('at least eight attempts follow the first before the expiry', () => {
    fc.assert(
      fc.property(anyLifetime, anyAnswers, (lifetime, answers) => {
        const { tries } = triesOf(lifetime, answers, (notAfter) => notAfter.getTime());
        expect(tries.length).toBeGreaterThanOrEqual(9);
      }),
    );
  });

  test('a certificate is missing for a tenth of its lifetime at most after the CA is back', () => {
    fc.assert(
      fc.property(
        anyLifetime,
        anyAnswers,
        fc.double({ min: 0, max: 5, noNaN: true }),
        (lifetime, answers, share) => {
          const back = (notAfter: Date) => notAfter.getTime() + Math.min(29 * day, share * lifetime);
          const { next, expiry } = triesOf(lifetime, answers, back);
          const missing = next - Math.max(back(new Date(expiry)), expiry);
          expect(missing).toBeLessThanOrEqual(Math.max(minute, Math.min(day, lifetime / 10)));
        },
      ),
    );
  });

  test('a permanent fault that has been fixed is noticed within a day', () => {
    fc.assert(
      fc.property(anyLifetime, fc.integer({ min: -365 * day, max: 365 * day }), (lifetime, left) => {
        const validity = { notBefore: at(left - lifetime), notAfter: at(left) };
        const next = nextTry({ attempt: 5, now, ...validity, isPermanent: true });
        expect(next.getTime() - now.getTime()).toBeLessThanOrEqual(day);
        expect(next.getTime()).toBeGreaterThan(now.getTime());
      }),
    );
  });

  test('validation fails three times an hour at most', () => {
    fc.assert(
      fc.property(
        anyLifetime,
        fc.integer({ min: -day, max: 365 * day }),
        anyAnswer,
        (lifetime, left, { wait }) => {
          const validity = { notBefore: at(left - lifetime), notAfter: at(left) };
          const retryAt = wait === undefined ? undefined : at(wait);
          const next = nextTry({ attempt: 1, now, ...validity, isValidation: true, retryAt });
          expect(next.getTime() - now.getTime()).toBeGreaterThanOrEqual(20 * minute);
        },
      ),
    );
  });
});

describe('after a lapse', () => {
  test.each([
    ['the first one: at once', 1, usual(30 * day), 0],
    ['the second one', 2, usual(30 * day), minute],
    ['the third one', 3, usual(30 * day), 10 * minute],
    ['the fourth one', 4, usual(30 * day), 100 * minute],
    ['the fiftieth one', 50, usual(30 * day), 100 * minute],
    ['the fiftieth one with four hours left: an eighth of them', 50, usual(4 * hour), 30 * minute],
    ['the fiftieth one of an hour, half of it left', 50, brief(30 * minute), 225_000],
    ['the fiftieth one of an hour, after its expiry: a tenth of the hour', 50, brief(-hour), 6 * minute],
  ])('%s', (_, attempt, validity, delay) => {
    expect(dueAfterLapse({ attempt, now, ...validity })).toEqual(new Date(now.getTime() + delay));
  });
});
