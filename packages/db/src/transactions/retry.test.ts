import { QueryFailedError } from 'typeorm';
import { describe, expect, test } from 'vitest';
import { DatabaseUnavailable } from '../faults/failures.js';
import { beginWhenFree, withRetries } from './retry.js';

const failure = (code: string) => new QueryFailedError('begin', [], Object.assign(new Error(code), { code }));

/** Work that fails so often with that error before it is done. */
function failing(times: number, error: Error): () => Promise<string> {
  let calls = 0;
  return async () => {
    calls += 1;
    if (calls <= times) throw error;
    return `done at call ${calls}`;
  };
}

describe('a transaction', () => {
  test.each([
    ['that succeeds', 0, 'SQLITE_BUSY', 'done at call 1'],
    ['that meets a busy file', 2, 'SQLITE_BUSY', 'done at call 3'],
    ['that cannot be serialised', 1, '40001', 'done at call 2'],
    ['that meets deadlocks five times', 5, '40P01', 'done at call 6'],
    ['that meets deadlocks six times', 6, '40P01', '40P01'],
    ['that meets a constraint', 1, '23505', '23505'],
  ])('%s', async (_, times, code, outcome) => {
    const reasons: string[] = [];
    const result = await withRetries(failing(times, failure(code)), (reason) => reasons.push(reason)).catch(
      (error: Error) => error.message,
    );
    expect(result).toBe(outcome);
    expect(reasons).toEqual(outcome === '23505' ? [] : Array(Math.min(times, 5)).fill(code));
  });

  test('that fails for its own reason is not run again', async () => {
    const work = failing(1, new Error('SQLITE_BUSY'));
    await expect(withRetries(work, () => undefined)).rejects.toThrow('SQLITE_BUSY');
  });
});

describe('beginning a transaction', () => {
  test('waits for the transaction of another process', async () => {
    const begin = failing(3, failure('SQLITE_BUSY'));
    await beginWhenFree(async () => void (await begin()));
    expect(await begin()).toBe('done at call 5');
  });

  test('names the blocking process when the wait times out', async () => {
    const begin = () => Promise.reject(failure('SQLITE_BUSY'));
    await expect(beginWhenFree(begin, { patienceMs: 30 })).rejects.toThrow(DatabaseUnavailable);
    await expect(beginWhenFree(begin, { patienceMs: 30 })).rejects.toThrow(
      'another process has held the database for 30 ms',
    );
  });

  /** How often a caller tries that asked, and met a file in use, so many milliseconds ago. */
  async function attemptsOf({ askedMs, heldMs }: { askedMs: number; heldMs: number | undefined }) {
    const now = performance.now();
    const hold = { since: heldMs === undefined ? undefined : now - heldMs };
    let attempts = 0;
    const begin = async () => {
      attempts += 1;
      throw failure('SQLITE_BUSY');
    };
    const waiting = { askedAt: now - askedMs, hold, patienceMs: 100 };
    await expect(beginWhenFree(begin, waiting)).rejects.toThrow(DatabaseUnavailable);
    return attempts;
  }

  test('tries once when it asked long ago and the file has been in use since', async () => {
    expect(await attemptsOf({ askedMs: 1000, heldMs: 900 })).toBe(1);
  });

  test.each([
    ['the file is in use only now', { askedMs: 1000, heldMs: undefined }],
    ['it has just asked', { askedMs: 0, heldMs: 1000 }],
  ])('waits when %s', async (_, moments) => {
    expect(await attemptsOf(moments)).toBeGreaterThan(1);
  });

  test('forgets that the file was in use when it begins', async () => {
    const hold = { since: 1 };
    await beginWhenFree(async () => undefined, { hold });
    expect(hold).toEqual({ since: undefined });
  });

  test('fails immediately for any other reason', async () => {
    await expect(beginWhenFree(failing(1, failure('SQLITE_FULL')) as never)).rejects.toThrow('SQLITE_FULL');
  });
});
