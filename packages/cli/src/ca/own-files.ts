import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { UsageError } from '../faults/command-errors.js';

/** Throws UsageError that names the first of the files that exists. */
export function requireAbsent(files: readonly string[]): void {
  const there = files.find((file) => existsSync(file));
  if (there !== undefined) throw new UsageError(`${there} already exists; --force overwrites it`);
}

/** Writes each file whole or not at all, for its owner only; folders are made. */
export async function writeOwnFile(file: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  // a new file has the mode also where it replaces one that others could read
  const next = `${file}.${randomUUID()}`;
  await writeFile(next, content, { mode: 0o600, flag: 'wx' });
  await rename(next, file);
}
