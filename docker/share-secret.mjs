// Writes files of secrets for make-secrets.mjs and make-project.mjs.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Writes a file that its owner alone reads; whole on disk before it has its name, so that a full disk leaves no empty one. */
export function writeSecret(file, content) {
  const unfinished = `${file}.new`;
  writeFileSync(unfinished, content, { mode: 0o600, flush: true });
  renameSync(unfinished, file);
}

/** The content of a file, undefined if there is none. Throws if it cannot be read. */
export function readSecret(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw new Error(`${file} cannot be read (${error.code}): see docs/backup-and-restore.md`, {
      cause: error,
    });
  }
}

/** Makes `copy` equal to `file`. */
export function shareSecret(file, copy) {
  const content = readFileSync(file, 'utf8');
  if (readSecret(copy) !== content) writeSecret(copy, content);
}
