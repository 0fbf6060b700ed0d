import { constants } from 'node:fs';
import { type FileHandle, lstat, open, opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { explainCode, faultCode } from '../faults/system-fault.js';
import { Unusable } from './found-certificate.js';

/** Number of entries of folders that one command may read, and how many of them are left. */
export interface EntryBudget {
  readonly max: number;
  left: number;
}

/** Bytes of a file with certificates or keys. */
export const maxPemBytes = 1024 * 1024;

/** Bytes of Traefik's storage, which has all certificates in one file. */
export const maxStoreBytes = 64 * 1024 * 1024;

/** The content of a regular file. Throws Unusable, without reading it, for a larger one and for what is no file. */
export async function readBounded(path: string, maxBytes: number): Promise<Buffer> {
  // a named pipe would wait for its writer
  const file = await withReason(() => open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)));
  try {
    const facts = await file.stat();
    if (facts.isDirectory()) throw new Unusable('it is a folder, not a file');
    if (!facts.isFile()) throw new Unusable('it is not a file');
    if (facts.size > maxBytes) throw tooLarge(maxBytes);
    return await withReason(() => readUpTo(file, facts.size, maxBytes));
  } finally {
    await file.close();
  }
}

/** Reads one byte more than the size, to see whether the file grows. */
async function readUpTo(file: FileHandle, size: number, maxBytes: number): Promise<Buffer> {
  const bytes = Buffer.alloc(Math.min(size, maxBytes) + 1);
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  if (length > maxBytes) throw tooLarge(maxBytes);
  return bytes.subarray(0, length);
}

function tooLarge(maxBytes: number): Unusable {
  return new Unusable(`it is larger than ${maxBytes / 1024 / 1024} MiB`);
}

/** The error after which a command reads nothing else. */
export function limitReached(max: number, noun: string): Unusable {
  return new Unusable(`there are more than ${max} ${noun}, and the rest is not read: import single folders`, {
    isLimit: true,
  });
}

export interface FolderEntry {
  readonly name: string;
  readonly isFolder: boolean;
}

/** The entries of a folder by name, links followed. Throws Unusable, also after the budget is spent. */
export async function listFolder(path: string, budget: EntryBudget): Promise<FolderEntry[]> {
  const entries: FolderEntry[] = [];
  const folder = await withReason(() => opendir(path));
  for await (const entry of folder) {
    budget.left -= 1;
    if (budget.left < 0) throw limitReached(budget.max, 'files');
    const isFolder = entry.isSymbolicLink() ? await isFolderAt(join(path, entry.name)) : entry.isDirectory();
    entries.push({ name: entry.name, isFolder });
  }
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Whether there is a folder; false also for links that lead nowhere or in a circle. */
export async function isFolderAt(path: string): Promise<boolean> {
  return stat(path).then(
    (facts) => facts.isDirectory(),
    () => false,
  );
}

/** Identity of a folder, the same by each link that leads to it. */
export async function folderId(path: string): Promise<string> {
  const { dev, ino } = await withReason(() => stat(path, { bigint: true }));
  return `${dev}:${ino}`;
}

/** Errors of the system as Unusable, whose message has no path. */
async function withReason<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = faultCode(error);
    throw code === undefined ? error : new Unusable(explainCode(code));
  }
}

/** Whether there is anything at the path, a link that leads nowhere included. */
export async function isPresent(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
