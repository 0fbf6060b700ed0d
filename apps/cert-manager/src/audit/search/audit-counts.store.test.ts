import { describe, expect, test } from 'vitest';
import { createAuditCounts } from './audit-counts.store.js';
import type { AuditStretch } from './audit-stretches.js';

/** A log of positions, and the ranges that were counted. */
function logOf(seqs: number[]) {
  const counted: AuditStretch[] = [];
  const count = async (stretch: AuditStretch) => {
    counted.push(stretch);
    return seqs.filter((seq) => seq > stretch.above && seq <= stretch.upTo).length;
  };
  const ends = () => ({ first: Math.min(...seqs), last: Math.max(...seqs) });
  return { seqs, counted, count, ends };
}

describe('counting the audit log on SQLite', () => {
  test('counts everything once, then only new entries', async () => {
    const counts = createAuditCounts({ name: 'sqlite' });
    const { seqs, counted, count, ends } = logOf([3, 4, 7]);
    expect(await counts.total('all', ends(), count)).toBe(3);
    seqs.push(9, 11);
    expect(await counts.total('all', ends(), count)).toBe(5);
    expect(await counts.total('all', ends(), count)).toBe(5);
    expect(counted).toEqual([
      { above: 2, upTo: 7 },
      { above: 7, upTo: 11 },
    ]);
  });

  test('distinguishes one filter from another', async () => {
    const counts = createAuditCounts({ name: 'sqlite' });
    const { count, ends } = logOf([1, 2]);
    expect(await counts.total('all', ends(), count)).toBe(2);
    expect(await counts.total('none', ends(), async () => 0)).toBe(0);
    expect(await counts.total('all', ends(), count)).toBe(2);
  });

  test('counts everything again when any process has emptied the log', async () => {
    const counts = createAuditCounts({ name: 'sqlite' });
    const { seqs, count, ends } = logOf([1, 2, 3]);
    await counts.total('all', ends(), count);
    seqs.splice(0, 3, 4, 5);
    expect(await counts.total('all', ends(), count)).toBe(2);
  });

  test('counts everything again when the oldest entries are gone, such as a dropped partition', async () => {
    const counts = createAuditCounts({ name: 'sqlite' });
    const { seqs, count, ends } = logOf([1, 2, 3]);
    await counts.total('all', ends(), count);
    seqs.splice(0, 2, 4);
    expect(await counts.total('all', ends(), count)).toBe(2);
  });
});

describe('counting the audit log on PostgreSQL', () => {
  test('finds an entry that was committed after one with a later position', async () => {
    let now = 0;
    const counts = createAuditCounts({ name: 'postgres' }, () => now);
    const { seqs, count, ends } = logOf([1, 3]);
    expect(await counts.total('all', ends(), count)).toBe(2);
    now = 59_999;
    expect(await counts.total('all', ends(), count)).toBe(2);
    seqs.push(2);
    now = 60_000;
    expect(await counts.total('all', ends(), count)).toBe(3);
  });

  test('caches the count up to the newest entry of a minute ago, and counts later entries', async () => {
    let now = 0;
    const counts = createAuditCounts({ name: 'postgres' }, () => now);
    const { seqs, counted, count, ends } = logOf([1, 2]);
    await counts.total('all', ends(), count);
    seqs.push(3);
    now = 60_000;
    await counts.total('all', ends(), count);
    seqs.push(4);
    now = 61_000;
    counted.length = 0;
    expect(await counts.total('all', ends(), count)).toBe(4);
    expect(counted).toEqual([{ above: 2, upTo: 4 }]);
  });

  test('caches after two seconds the range to which no open transaction can add', async () => {
    let now = 0;
    const counts = createAuditCounts({ name: 'postgres' }, () => now);
    const { seqs, counted, count, ends } = logOf([1, 2]);
    await counts.total('all', ends(), count, { oldest: 7, next: 9 });
    now = 1_999;
    await counts.total('all', ends(), count, { oldest: 9, next: 9 });
    now = 2_000;
    await counts.total('all', ends(), count, { oldest: 9, next: 9 });
    seqs.push(3);
    counted.length = 0;
    expect(await counts.total('all', ends(), count, { oldest: 9, next: 10 })).toBe(3);
    expect(counted).toEqual([{ above: 2, upTo: 3 }]);
  });

  test('finds late entries of a transaction that began before, however long it takes', async () => {
    let now = 0;
    const counts = createAuditCounts({ name: 'postgres' }, () => now);
    const { seqs, count, ends } = logOf([1, 3]);
    await counts.total('all', ends(), count, { oldest: 7, next: 9 });
    now = 50_000;
    expect(await counts.total('all', ends(), count, { oldest: 8, next: 20 })).toBe(2);
    // transaction 8 ends
    seqs.push(2);
    expect(await counts.total('all', ends(), count, { oldest: 20, next: 20 })).toBe(3);
  });
});
