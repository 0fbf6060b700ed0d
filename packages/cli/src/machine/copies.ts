import { readFile, rm } from 'node:fs/promises';
import { faultCode } from '../faults/system-fault.js';
import { accessOf, type Machine } from './machine.js';
import type { StoredPair } from './pair-folders.js';
import { replaceFile, trustedPath } from './whole-files.js';

/** Whether a copy differs from its part of the pair. */
export async function areCopiesStale(
  { copies }: Machine,
  { files }: Pick<StoredPair, 'files'>,
): Promise<boolean> {
  for (const { part, path } of copies) if ((await readCopy(path)) !== contentOf(files[part])) return true;
  return false;
}

/** Undefined for none, and where there is no content to copy. */
const contentOf = (text: string): string | undefined => (text === '' ? undefined : text);

async function readCopy(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (faultCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes the copies that differ, each whole; a certificate without intermediates has no copy of its chain. */
export async function writeCopies(machine: Machine, { files }: Pick<StoredPair, 'files'>): Promise<void> {
  for (const { part, path } of machine.copies) {
    const content = contentOf(files[part]);
    if ((await readCopy(path)) === content) continue;
    const file = await trustedPath(path);
    machine.io.atStep?.(`copy ${part}.pem`);
    if (content === undefined) await rm(file, { force: true });
    else await replaceFile(file, content, accessOf(machine, part));
  }
}
