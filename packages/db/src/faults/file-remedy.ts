const backupPage = 'docs/backup-and-restore.md';

// SQLite needs some pages, and in write-ahead mode a file of 32 KiB
const minBytes = 1024 * 1024;

/**
 * Returns what to do about a file of SQLite that cannot be used, as the end of a sentence: by the driver's code and the
 * free bytes of its disk, as far as they are known; '' for other faults.
 */
export function fileRemedy(code: string | undefined, freeBytes: number | undefined): string {
  if (code === undefined) return '';
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code))
    return `: the file is damaged; stop the service and restore a backup (${backupPage})`;
  if (!/^(SQLITE_(FULL|IOERR)|ENOSPC$)/.test(code)) return '';
  const isFull = code === 'SQLITE_FULL' || code === 'ENOSPC' || (freeBytes ?? Infinity) < minBytes;
  return isFull ? ': its disk is full; make room' : ': check its disk';
}
