import { existsSync } from 'node:fs';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { StartFailed } from '@certloop/server';

const require = createRequire(import.meta.url);

const backupPage = 'docs/backup-and-restore.md';

/** A file with a secret that a database relies on once it was used. */
export interface SecretFile {
  readonly file: string;
  readonly make: () => string;
  readonly isDamaged: (content: string) => boolean;
  /** SQLite file, and those of its tables that have rows once the secret was used. */
  readonly usedBy: { readonly database: string; readonly tables: readonly string[] };
}

/**
 * Makes the secret if it was never used, whole or not at all; what is damaged stays as `.damaged`. Throws StartFailed
 * for one that was used and is missing or damaged, and for a file that cannot be read.
 */
export async function ensureSecret({ file, make, isDamaged, usedBy }: SecretFile): Promise<void> {
  const found = await readIfThere(file);
  if (found !== undefined && !isDamaged(found)) return;
  if (isUsed(usedBy)) {
    const fault = found === undefined ? 'missing' : 'damaged';
    throw new StartFailed(
      `${file} is ${fault}, and ${usedBy.database} relies on it: restore the file from a backup (${backupPage})`,
    );
  }
  if (found !== undefined) await rename(file, `${file}.damaged`);
  await writeNew(file, make());
}

/** The content of a file, undefined if there is none. Throws StartFailed if it cannot be read. */
export async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new StartFailed(
      `${file} cannot be read (${code}): let the user of this process read it, or restore it from a backup (${backupPage})`,
      { cause },
    );
  }
}

/** Writes a file that its owner alone reads, unless another process has just done so. */
async function writeNew(file: string, content: string): Promise<void> {
  const unfinished = `${file}.${process.pid}.new`;
  await writeFile(unfinished, content, { mode: 0o600, flush: true });
  try {
    await link(unfinished, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(unfinished, { force: true });
  }
}

type Sqlite = new (
  file: string,
  options: { readonly readonly: boolean; readonly fileMustExist: boolean },
) => {
  prepare(sql: string): { get(...values: readonly string[]): unknown };
  close(): void;
};

/** Whether a table has rows; a database that exists and cannot be read counts as one that has. */
function isUsed({ database, tables }: SecretFile['usedBy']): boolean {
  if (!existsSync(database)) return false;
  const Database = require('better-sqlite3') as Sqlite;
  try {
    const db = new Database(database, { readonly: true, fileMustExist: true });
    try {
      const known = db.prepare("select 1 from sqlite_master where type = 'table' and name = ?");
      return tables.some(
        (table) =>
          known.get(table) !== undefined && db.prepare(`select 1 from ${table} limit 1`).get() !== undefined,
      );
    } finally {
      db.close();
    }
  } catch {
    return true;
  }
}
