import pg from 'pg';
import { expect, test } from 'vitest';
import { DatabaseUnavailable } from './failures.js';
import { describeWriteFault, isDiskFault, WriteFaults } from './write-faults.js';

function sqlite(code: string): Error {
  return Object.assign(new Error('it failed'), { name: 'SqliteError', code });
}

function postgres(code: string): Error {
  return Object.assign(new pg.DatabaseError('it failed', 9, 'error'), { code });
}

test.each([
  [sqlite('SQLITE_FULL'), 'the database cannot be written: its disk is full'],
  [postgres('53100'), 'the database cannot be written: its disk is full'],
  [sqlite('SQLITE_READONLY_DBMOVED'), 'the database cannot be written: it is read-only'],
  [postgres('25006'), 'the database cannot be written: it is read-only'],
  [sqlite('SQLITE_BUSY'), 'the database cannot be written: another process has locked it'],
  [sqlite('SQLITE_IOERR_WRITE'), 'the database cannot be written: its disk fails'],
  [postgres('57P01'), 'the database cannot be written'],
])('names the cause of %s', (cause, expected) => {
  expect(describeWriteFault(cause)).toBe(expected);
  expect(isDiskFault(expected)).toBe(/disk/.test(expected));
  expect(describeWriteFault(new DatabaseUnavailable('away', { cause }))).toBe(expected);
});

test('sends no test write while writes of others succeed, and shares one otherwise', async () => {
  let attempts = 0;
  const faults = new WriteFaults(async () => {
    attempts += 1;
  });
  faults.noteSuccess();
  expect(await faults.current(2000)).toBeUndefined();
  expect(attempts).toBe(0);
  faults.noteFailure(sqlite('SQLITE_FULL'));
  faults.noteSuccess();
  expect(await Promise.all([faults.current(2000), faults.current(2000)])).toEqual([undefined, undefined]);
  expect(attempts).toBe(1);
});

test('does not count a waiting write as failed', async () => {
  let end = (_: Error): void => undefined;
  const faults = new WriteFaults(
    () =>
      new Promise((_, reject) => {
        end = reject;
      }),
  );
  expect(await faults.current(2000)).toBeUndefined();
  end(sqlite('SQLITE_BUSY'));
  expect(await faults.current(2000)).toBe('the database cannot be written: another process has locked it');
});
