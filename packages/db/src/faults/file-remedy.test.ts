import { expect, test } from 'vitest';
import { fileRemedy } from './file-remedy.js';

const gigabyte = 2 ** 30;

test.each([
  ['SQLITE_FULL', gigabyte, ': its disk is full; make room'],
  ['ENOSPC', undefined, ': its disk is full; make room'],
  // the file of the write-ahead log could not be made longer
  ['SQLITE_IOERR_SHMSIZE', 8192, ': its disk is full; make room'],
  ['SQLITE_IOERR_WRITE', 0, ': its disk is full; make room'],
  ['SQLITE_IOERR_WRITE', gigabyte, ': check its disk'],
  ['SQLITE_IOERR_READ', undefined, ': check its disk'],
  [
    'SQLITE_CORRUPT',
    gigabyte,
    ': the file is damaged; stop the service and restore a backup (docs/backup-and-restore.md)',
  ],
  [
    'SQLITE_NOTADB',
    gigabyte,
    ': the file is damaged; stop the service and restore a backup (docs/backup-and-restore.md)',
  ],
  ['SQLITE_BUSY', 0, ''],
  ['23505', 0, ''],
  [undefined, 0, ''],
])('%s with %s free bytes ends with "%s"', (code, freeBytes, remedy) => {
  expect(fileRemedy(code, freeBytes)).toBe(remedy);
});
