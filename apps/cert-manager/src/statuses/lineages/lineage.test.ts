import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { endOfLineage } from '../../front/lineages/lineage-ends.js';
import { planRenewal } from '../../renewals/renewal-policy.js';
import { graceOf } from '../attention.js';
import {
  attentionAtOfLineage,
  expectedOfLineage,
  firstFailureOf,
  type Lineage,
  worstFirst,
} from './lineage.js';
import { readStoredLineages, writeLineages } from './stored-lineages.js';

const day = 86_400_000;
const issued = new Date('2026-09-02T00:00:00.000Z');
const inDays = (days: number) => new Date(issued.getTime() + days * day);

function lineageOf({
  id = 'c1',
  days = 90,
  windowEnd = undefined as number | undefined,
  failed = undefined as number | undefined,
  revoked = undefined as number | undefined,
} = {}): Lineage {
  return {
    ...{ lineage: id, fqdn: 'www.example.com', accountId: 'a1', userAgent: '', ipAddress: '10.0.0.7' },
    client: { id: 'k1', name: 'web-7' },
    seenAt: issued,
    certificate: {
      ...{ id, serialNumber: '01', notBefore: issued, expiresAt: inDays(days) },
      revokedAt: revoked === undefined ? null : inDays(revoked),
    },
    windowEnd: windowEnd === undefined ? undefined : inDays(windowEnd),
    failure: failed === undefined ? undefined : { at: inDays(failed), reason: `failed on day ${failed}` },
  };
}

describe('the next order of a lineage is expected', () => {
  test.each<[string, Parameters<typeof lineageOf>[0], number, number]>([
    ['30 days before the end of 90 days', {}, 60, 61],
    ['30 days before the end of 398 days', { days: 398 }, 368, 369],
    ['a third of 6 days before the end', { days: 6 }, 4, 4.5],
    ['a third of an hour before the end', { days: 1 / 24 }, 2 / 72, 2 / 72 + 5 / 1440],
    ['by the end of the window that the client has read', { windowEnd: 55 }, 55, 56],
    ['by the end of a late window', { windowEnd: 89.9 }, 89.9, 89.925],
    ['by the expiry at the latest', { windowEnd: 95 }, 90, 90],
    ['at once after a revocation', { revoked: 10, windowEnd: 55 }, 10, 10 + 5 / 1440],
  ])('%s', (_, given, expectedAt, attentionAt) => {
    const expected = expectedOfLineage(lineageOf(given));
    expect(expected.expectedAt).toEqual(inDays(expectedAt));
    expect(expected.attentionAt).toEqual(inDays(attentionAt));
  });

  test('by the end of the window in which the scheduler would renew it', () => {
    const { notBefore, expiresAt: notAfter, id: seed } = lineageOf().certificate;
    const { latest } = planRenewal({ notBefore, notAfter, seed });
    expect(expectedOfLineage({ ...lineageOf(), windowEnd: latest }).expectedAt).toEqual(latest);
  });

  test('never after its end, and never by more than a day of grace', () => {
    const days = fc.double({ min: 1 / 1440, max: 1000, noNaN: true });
    const share = fc.option(fc.double({ min: 0, max: 1.2, noNaN: true }), { nil: undefined });
    fc.assert(
      fc.property(days, share, (length, part) => {
        const one = lineageOf({ days: length, windowEnd: part === undefined ? undefined : part * length });
        const { expectedAt, attentionAt } = expectedOfLineage(one);
        const { expiresAt: notAfter } = one.certificate;
        expect(attentionAt.getTime()).toBeGreaterThanOrEqual(expectedAt.getTime());
        expect(attentionAt.getTime()).toBeLessThanOrEqual(notAfter.getTime());
        const graceMs = graceOf({ expectedAt, notAfter }) * 1000;
        expect(attentionAt.getTime() - expectedAt.getTime()).toBeLessThanOrEqual(graceMs);
      }),
    );
  });
});

describe('of several lineages', () => {
  const idsOf = (lineages: readonly Lineage[]) => lineages.map(({ certificate }) => certificate.id);

  test.each<[string, Lineage[], string[]]>([
    [
      'the one that ends first needs people first',
      [lineageOf({ id: 'a', days: 91 }), lineageOf({ id: 'b' })],
      ['b', 'a'],
    ],
    [
      'one whose order failed comes before one that is not due',
      [lineageOf({ id: 'a' }), lineageOf({ id: 'b', days: 398, failed: 3 })],
      ['b', 'a'],
    ],
    [
      'one that is late for long comes before one that fails today',
      [lineageOf({ id: 'a', failed: 70 }), lineageOf({ id: 'b', days: 89 })],
      ['b', 'a'],
    ],
    ['equal ones have one order', [lineageOf({ id: 'b' }), lineageOf({ id: 'a' })], ['a', 'b']],
  ])('%s', (_, lineages, order) => {
    expect(idsOf(worstFirst(lineages))).toEqual(order);
    expect(idsOf(worstFirst([...lineages].reverse()))).toEqual(order);
  });

  test('the first needs people before all others, in whatever order they are read', () => {
    const some = fc.record({
      id: fc.uuid(),
      days: fc.integer({ min: 1, max: 400 }),
      failed: fc.option(fc.integer({ min: 0, max: 400 }), { nil: undefined }),
      windowEnd: fc.option(fc.integer({ min: 0, max: 400 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(some, { minLength: 1, maxLength: 8 }), (all) => {
        const lineages = all.map(lineageOf);
        const [worst] = worstFirst(lineages);
        const moments = lineages.map((one) => attentionAtOfLineage(one).getTime());
        expect(worst && attentionAtOfLineage(worst).getTime()).toBe(Math.min(...moments));
        const failures = lineages.flatMap(({ failure }) => failure?.at.getTime() ?? []);
        expect(firstFailureOf(lineages)?.at.getTime()).toBe(
          failures.length === 0 ? undefined : Math.min(...failures),
        );
      }),
    );
  });
});

test.each([
  [{}, undefined],
  [{ releasedAt: issued }, 'released'],
  [{ isReplaced: true }, 'replaced'],
  [{ accountStatus: 'deactivated' as const }, 'deactivated'],
  [{ accountStatus: 'ended' as const }, 'deleted'],
  [{ clientName: null }, 'deleted'],
  [{ releasedAt: issued, clientName: null, isReplaced: true }, 'released'],
])('with %j a lineage is %s', (given, end) => {
  const open = { releasedAt: null, accountStatus: 'valid', clientName: 'web-7', isReplaced: false } as const;
  expect(endOfLineage({ ...open, ...given })).toBe(end);
});

test.each([
  [[], undefined],
  [['a'], { count: 1, certificateIds: ['a'] }],
  [['a', 'b', 'c', 'd', 'e', 'f'], { count: 6, certificateIds: ['a', 'b', 'c', 'd'] }],
])('stores of the lineages %j the worst four and their number', (ids, stored) => {
  expect(readStoredLineages(writeLineages(ids))).toEqual(stored);
});
