import { runInNewContext } from 'node:vm';
import { AppError, NotFound } from '@certloop/contracts';
import { QueryFailedError } from 'typeorm';
import { describe, expect, test } from 'vitest';
import { asLost, asUnavailable, DatabaseUnavailable, isUnwritable } from './failures.js';

const failed = (code: string) =>
  new QueryFailedError('select 1', ['a secret'], Object.assign(new Error('said'), { code }));

test('recognises a failure of SQLite whose class is from another realm', () => {
  const failure = runInNewContext(
    `Object.assign(new Error('database or disk is full'), { name: 'SqliteError', code })`,
    {
      code: 'SQLITE_FULL',
    },
  );
  expect(failure).not.toBeInstanceOf(Error);
  expect(asUnavailable(failure, 'write')).toBeInstanceOf(DatabaseUnavailable);
});

describe('a failed statement', () => {
  test.each([
    ['08006', 'a connection that failed', true],
    ['08P01', 'what PgBouncer says of itself', true],
    ['53100', 'a full disk', true],
    ['53300', 'too many connections', true],
    ['57014', 'a statement that took too long', true],
    ['57P01', 'a server that is shut down', true],
    ['57P03', 'a server that starts', true],
    ['58030', 'a disk that fails', true],
    ['55P03', 'a lock that was waited for too long', true],
    ['40P01', 'deadlocks that do not end', true],
    ['SQLITE_BUSY', 'a file that others hold', true],
    ['SQLITE_FULL', 'a full disk', true],
    ['SQLITE_IOERR_WRITE', 'a disk that fails', true],
    ['SQLITE_READONLY_DBMOVED', 'a disk that was mounted anew', true],
    ['25006', 'a standby', true],
    ['23505', 'a value that is taken', false],
    ['42601', 'a syntax error', false],
    ['SQLITE_CORRUPT', 'a file that is broken', false],
    ['SQLITE_CONSTRAINT_UNIQUE', 'a value that is taken', false],
  ])('with %s, %s: unavailable is %s', (code, _, isUnavailable) => {
    const shown = asUnavailable(failed(code), 'write');
    expect(shown instanceof DatabaseUnavailable).toBe(isUnavailable);
    if (isUnavailable) expect(JSON.stringify((shown as Error).cause)).not.toContain('a secret');
  });

  test('that writes in a read is reported as a defect', () => {
    for (const code of ['25006', 'SQLITE_READONLY']) {
      expect(isUnwritable(failed(code))).toBe(true);
      expect(asUnavailable(failed(code), 'read')).toBeInstanceOf(QueryFailedError);
    }
  });

  test('that is not an error of the database is passed on unchanged', () => {
    const error = Object.assign(new Error('no'), { code: '53100' });
    expect(asUnavailable(error, 'write')).toBe(error);
  });
});

test('a lost connection replaces the error of the statement, but not a rejection', () => {
  const lost = new Error('ended');
  const unavailable = asLost(new Error('Query runner already released'), lost) as DatabaseUnavailable;
  expect(unavailable).toBeInstanceOf(DatabaseUnavailable);
  expect(unavailable.message).toBe('the connection to the database was lost: ended');
  const refusal = new NotFound('no such space');
  expect(asLost(refusal, lost)).toBe(refusal);
});

test('callers receive Retry-After, but not the reason', () => {
  const refusal = new DatabaseUnavailable('cannot reach 10.0.0.5').refusal();
  expect(refusal).toBeInstanceOf(AppError);
  expect(refusal).toMatchObject({
    status: 503,
    code: 'database_unavailable',
    headers: { 'Retry-After': '5' },
  });
  expect(refusal.message).toBe('the database is not available; try again in 5 s');
});
