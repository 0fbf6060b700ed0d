import { describe, expect, test } from 'vitest';
import {
  earlierPair,
  endsSoon,
  type InstalledPair,
  type Newest,
  nextStep,
  type OnDisk,
  obsoletePairs,
  pauseAfterFailure,
  retreatAfter,
} from './next-step.js';

const now = new Date('2026-06-01T00:00:00Z');
const hours = (count: number) => new Date(now.getTime() + count * 3_600_000);
const pair = (name: string, more: Partial<InstalledPair> = {}): InstalledPair => ({
  name,
  notAfter: hours(480),
  fullchain: `certificate ${name}`,
  spkiSha256: 'key',
  isServed: true,
  ...more,
});
const empty: OnDisk = {
  current: undefined,
  pairs: [],
  pending: undefined,
  givenKey: undefined,
  areCopiesStale: false,
};
const served = pair('1');
const unserved = pair('2', { isServed: false });
const pending = { spkiSha256: 'new', hasCsr: true, isUploaded: true };
const newest = (spkiSha256: string, fullchain = 'certificate of the manager'): Newest => ({
  spkiSha256,
  fullchain,
});

describe('the next step', () => {
  test.each([
    ['asks, with a key of its own', { givenKey: 'key' }, 'unknown', 'ask'],
    ['asks, with a pair', { current: served, pairs: [served] }, 'unknown', 'ask'],
    ['asks, while a pending key waits', { pending }, 'unknown', 'ask'],
    ['waits while there is no certificate', { givenKey: 'key' }, 'none', 'wait'],
    ['waits while nothing has changed', { current: served, pairs: [served] }, 'unchanged', 'wait'],
    [
      'waits with the newest one',
      { current: served, pairs: [served] },
      newest('key', 'certificate 1'),
      'wait',
    ],
    ['installs for the named key', { givenKey: 'key' }, newest('key'), 'install'],
    ['installs for the pending key', { current: served, pairs: [served], pending }, newest('new'), 'install'],
    ['installs for the key of a pair', { current: served, pairs: [served] }, newest('key'), 'install'],
    ['refuses a certificate for another key', { givenKey: 'key' }, newest('other'), 'refuse'],
    ['waits for the certificate of the pending key', { pending }, newest('other'), 'wait'],
    [
      'activates a pair before it asks',
      { current: unserved, pairs: [served, unserved] },
      'unknown',
      'activate',
    ],
    [
      'mends copies before it activates',
      { current: unserved, pairs: [unserved], areCopiesStale: true },
      'unknown',
      'mend_copies',
    ],
    ['has no copies to mend without a pair', { givenKey: 'key', areCopiesStale: true }, 'unknown', 'ask'],
    ['makes a CSR for a pending key', { pending: { ...pending, hasCsr: false } }, 'unknown', 'make_csr'],
    ['uploads the CSR', { pending: { ...pending, isUploaded: false } }, 'unknown', 'upload_csr'],
    [
      'drops a pending key that a pair has',
      { pending, current: served, pairs: [served, pair('2', { spkiSha256: 'new' })] },
      'unknown',
      'drop_pending',
    ],
  ] as [string, Partial<OnDisk>, Newest, string][])('%s', (_, disk, known, expected) => {
    expect(nextStep({ ...empty, ...disk }, known, { wantsKey: false })).toBe(expected);
  });

  test.each([
    [{}, 'make_key'],
    [{ pending: { ...pending, hasCsr: false } }, 'make_csr'],
    [{ pending }, 'ask'],
    [{ current: served, pairs: [served] }, 'ask'],
    [{ givenKey: 'key' }, 'ask'],
  ] as [Partial<OnDisk>, string][])('with --new-key and %j is %s', (disk, expected) => {
    expect(nextStep({ ...empty, ...disk }, 'unknown', { wantsKey: true })).toBe(expected);
  });
});

describe('after a failed activation', () => {
  test.each([
    ['test', served, 'switch'],
    ['reload', served, 'reload'],
    ['verify', served, 'reload'],
    ['test', undefined, 'stay'],
    ['reload', undefined, 'stay'],
    ['reload', pair('1', { notAfter: hours(-1) }), 'stay'],
    ['verify', pair('1', { notAfter: hours(24) }), 'stay'],
    ['verify', pair('1', { notAfter: hours(25) }), 'reload'],
    ['test', pair('1', { notAfter: hours(-1) }), 'switch'],
  ] as const)('of %s, before which there was %j: %s', (stage, earlier, expected) => {
    expect(retreatAfter(stage, earlier, now)).toBe(expected);
  });

  test('the earlier pair is the latest other one that was served', () => {
    const pairs = [pair('1'), pair('2'), pair('3', { isServed: false }), pair('4')];
    expect(earlierPair({ ...empty, current: pairs[3], pairs })?.name).toBe('2');
    expect(earlierPair({ ...empty, current: pairs[0], pairs: pairs.slice(0, 1) })).toBeUndefined();
  });
});

describe('obsolete pairs', () => {
  const pairs = [pair('1'), pair('2'), pair('3', { notAfter: hours(-1) }), pair('4'), pair('5'), pair('6')];
  test.each([
    ['5', ['1', '2', '3']],
    ['4', ['1', '3']],
    ['2', []],
    [undefined, []],
  ] as const)('with %s in use are %j', (name, expected) => {
    const current = pairs.find((one) => one.name === name);
    expect(obsoletePairs({ ...empty, current, pairs }, now)).toEqual(expected);
  });
});

test.each([
  [1, 1, undefined, 60_000],
  [1, 0.5, undefined, 30_000],
  [3, 1, undefined, 240_000],
  [40, 1, undefined, 3_600_000],
  [40, 0, undefined, 0],
  [1, 1, '7', 7_000],
  [9, 0, '0', 0],
  [1, 1, 'Wed, 21 Oct 2026 07:28:00 GMT', 60_000],
  [1, 1, '999999999', 86_400_000],
])('after %i failures with the random number %f and Retry-After %s, the pause is %i ms', (...row) => {
  const [failures, random, retryAfter, expected] = row;
  expect(pauseAfterFailure(failures, random, retryAfter)).toBe(expected);
});

test.each([
  [21, false],
  [20, false],
  [19, true],
  [-1, true],
])('with %i of 100 hours left, it ends soon: %s', (left, expected) => {
  expect(endsSoon({ notBefore: hours(left - 100), notAfter: hours(left) }, now)).toBe(expected);
});
