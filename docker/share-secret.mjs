// Writes files of secrets for make-secrets.mjs and make-project.mjs.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Writes a file that its owner alone reads; whole on disk before it has its name, so that a full disk leaves no empty one. */
export function writeSecret(file, content) {
  const unfinished = `${file}.new`;
  writeFileSync(unfinished, content, { mode: 0o600, flush: true });
  renameSync(unfinished, file);
}

/** Makes `copy` equal to `file`. */
export function shareSecret(file, copy) {
  const content = readFileSync(file, 'utf8');
  if (!existsSync(copy) || readFileSync(copy, 'utf8') !== content) writeSecret(copy, content);
}
