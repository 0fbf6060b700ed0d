import { QueryFailedError } from 'typeorm';
import { expect, test } from 'vitest';
import { whenUnlocked } from './migration-lock.js';

test.each([
  ['a table that is in use', '55P03'],
  ['another transaction that waits for it in turn', '40P01'],
])('a migration is tried again after %s', async (_, code) => {
  let tries = 0;
  const reasons: string[] = [];
  const attempt = async () => {
    tries += 1;
    if (tries === 1) throw new QueryFailedError('', [], Object.assign(new Error('no'), { code }));
    return 'done';
  };
  expect(await whenUnlocked(attempt, (reason) => reasons.push(reason))).toBe('done');
  expect([tries, reasons.length]).toEqual([2, 1]);
});
