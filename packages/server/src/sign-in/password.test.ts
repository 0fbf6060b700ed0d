import { AppError } from '@certloop/contracts';
import { describe, expect, test } from 'vitest';
import { createPasswords, usualCost } from './password.js';

const quick = createPasswords({ N: 16, r: 1, p: 1 });

describe('a password', () => {
  test('matches its hash, and another one does not', async () => {
    const hash = await quick.hash('correct horse');
    expect(hash).toMatch(/^scrypt\$16\$1\$1\$[\w-]{22}\$[\w-]{43}$/);
    expect(await quick.verify('correct horse', hash, 0)).toBe(true);
    expect(await quick.verify('correct horsf', hash, 0)).toBe(false);
  });

  test('never produces the same hash twice', async () => {
    expect(await quick.hash('same')).not.toBe(await quick.hash('same'));
  });

  test('is the same in any Unicode composition', async () => {
    expect(await quick.verify('cafe\u0301', await quick.hash('caf\u00e9'), 0)).toBe(true);
  });

  test('can have a hash of another cost, which is outdated', async () => {
    const other = createPasswords({ N: 32, r: 1, p: 1 });
    const hash = await other.hash('correct horse');
    expect(await quick.verify('correct horse', hash, 0)).toBe(true);
    expect([quick.isOutdated(hash), other.isOutdated(hash)]).toEqual([true, false]);
  });

  test.each([
    ['unknown', undefined],
    ['text that is not a hash', 'plain text'],
  ])('never matches %s', async (_, hash) => {
    expect(await quick.verify('plain text', hash, 0)).toBe(false);
  });

  test('has the default cost of scrypt N 16384, r 8, p 5', () => {
    expect(usualCost).toEqual({ N: 16_384, r: 8, p: 5 });
  });

  test('is rejected when too many wait', async () => {
    const answers = await Promise.allSettled(
      Array.from({ length: 140 }, () => quick.verify('x', undefined, 1)),
    );
    const refused = answers.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    expect(refused).toHaveLength(10);
    expect(refused[0]?.reason).toBeInstanceOf(AppError);
    expect(await quick.verify('x', undefined, 1)).toBe(false);
  });

  test.each([0, 1, 9])('of a first attempt is verified before 1,000 that wait for turn %i', async (turn) => {
    const [begun, ended]: [string[], string[]] = [[], []];
    // their ends may come in another order
    const notingBegin = (name: string) => {
      const normalize = () => {
        begun.push(name);
        return 'x';
      };
      return Object.assign(Object('x') as string, { normalize });
    };
    const verify = (name: string, at: number) =>
      quick.verify(notingBegin(name), undefined, at).then(
        () => ended.push(name),
        () => undefined,
      );
    const crowd = Array.from({ length: 1000 }, () => verify('crowd', turn));
    await verify('first', 0);
    // two may be under way
    expect(begun.indexOf('first')).toBe(2);
    await Promise.all(crowd);
    expect(ended).toHaveLength(turn === 0 ? 1001 : 131);
  });

  test('does not wait for those of strangers', async () => {
    const ended: string[] = [];
    const strangers = Array.from({ length: 70 }, () =>
      quick.verify('x', undefined, 'stranger').then(
        () => ended.push('stranger'),
        () => ended.push('rejected'),
      ),
    );
    await quick.verify('x', undefined, 0).then(() => ended.push('known'));
    // one stranger's may be under way
    expect(ended.filter((one) => one === 'stranger').length).toBeLessThanOrEqual(3);
    await Promise.all(strangers);
    expect(ended.filter((one) => one === 'rejected')).toHaveLength(5);
  });
});
