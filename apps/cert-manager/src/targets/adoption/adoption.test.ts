import type { ServedClass } from '@certloop/contracts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { adoptingClassOf, adoptionOf, type DatedLeaf, isLater, type ServedLeaf } from './adoption.js';

const now = new Date('2026-03-01T12:00:00.000Z');
const hour = 3_600_000;

/** A certificate from and to hours from now. */
const leaf = (sha256: string, from: number, to: number, isFitting = true): ServedLeaf => ({
  sha256,
  notBefore: new Date(now.getTime() + from * hour),
  notAfter: new Date(now.getTime() + to * hour),
  isFitting,
});
const newest = leaf('newest', -10, 10);

test.each<[string, readonly ServedLeaf[], DatedLeaf | undefined, string | undefined]>([
  ['nothing is served', [], newest, undefined],
  ['nothing is stored', [leaf('a', -1, 1)], undefined, 'a'],
  ['it is the newest', [newest], newest, undefined],
  ['it begins later', [leaf('a', -9, 20)], newest, 'a'],
  ['it begins later and ends earlier', [leaf('a', -9, 5)], newest, 'a'],
  ['it begins earlier', [leaf('a', -11, 20)], newest, undefined],
  ['it begins at the same moment and ends later', [leaf('a', -10, 11)], newest, 'a'],
  ['it begins at the same moment and ends earlier', [leaf('a', -10, 9)], newest, undefined],
  ['it has the same dates', [leaf('a', -10, 10)], newest, undefined],
  ['it begins now', [leaf('a', 0, 1)], newest, 'a'],
  ['it begins in a moment', [leaf('a', 0.001, 1)], newest, undefined],
  ['it ends now', [leaf('a', -1, 0)], newest, 'a'],
  ['it has just ended', [leaf('a', -1, -0.001)], newest, undefined],
  ['it does not fit', [leaf('a', -1, 1, false)], newest, undefined],
  [
    'another address still serves the newest, which ends first',
    [leaf('a', -1, 20), newest],
    newest,
    undefined,
  ],
  ['another address still serves the newest, which ends later', [leaf('a', -1, 5), newest], newest, 'a'],
  ['two are later', [leaf('a', -1, 20), leaf('b', -2, 15)], newest, 'b'],
  ['two are served first', [leaf('a', -1, 20), leaf('b', -2, 15)], undefined, 'b'],
  ['another address has gone back to an earlier one', [leaf('a', -1, 20), leaf('b', -20, 5)], newest, 'a'],
  ['another address serves one that does not fit', [leaf('a', -1, 20), leaf('b', -1, 5, false)], newest, 'a'],
])('when %s', (_, served, stored, expected) => {
  expect(adoptionOf(served, stored, now)?.sha256).toBe(expected);
});

const leaves = fc.array(
  fc.record({
    sha256: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    from: fc.integer({ min: -4, max: 1 }),
    to: fc.integer({ min: -1, max: 4 }),
    isFitting: fc.boolean(),
  }),
  { maxLength: 6 },
);
const served = leaves.map((all) => {
  // a digest stands for one certificate
  const byDigest = new Map(all.map(({ sha256, from, to }) => [sha256, leaf(sha256, from, to)]));
  return all.map(({ sha256, isFitting }) => ({ ...(byDigest.get(sha256) ?? newest), isFitting }));
});

test('adopts only what is served, valid, fits and is later, whatever the order, and nothing after that', () => {
  fc.assert(
    fc.property(served, fc.option(served, { nil: undefined }), (all, known) => {
      const stored = known?.[0];
      const adopted = adoptionOf(all, stored, now);
      expect(adoptionOf([...all].reverse(), stored, now)?.sha256).toBe(adopted?.sha256);
      if (adopted === undefined) return;
      expect(all).toContain(adopted);
      expect(adopted.isFitting && adopted.notBefore <= now && now <= adopted.notAfter).toBe(true);
      if (stored !== undefined) expect(isLater(adopted, stored)).toBe(true);
      expect(adoptionOf(all, adopted, now)).toBeUndefined();
    }),
  );
});

test.each<[ServedClass, number, ServedClass]>([
  ['foreign', -9, 'current'],
  ['reissued_elsewhere', -9, 'current'],
  ['stale', -9, 'current'],
  ['previous', -9, 'current'],
  ['foreign', -11, 'stale'],
  ['reissued_elsewhere', -11, 'stale'],
  ['stale', -11, 'stale'],
  ['previous', -11, 'previous'],
  ['expired', -9, 'expired'],
  ['not_yet_valid', -9, 'not_yet_valid'],
  ['name_mismatch', -9, 'name_mismatch'],
  ['chain_incomplete', -10, 'chain_incomplete'],
  ['current', -10, 'current'],
])('%s of one that begins %i hours from now is %s', (found, from, expected) => {
  expect(adoptingClassOf(found, leaf('a', from, 20), newest)).toBe(expected);
  expect(adoptingClassOf(found, leaf('a', from, 20), undefined)).toBe(found);
});
