import { createHash } from 'node:crypto';

/** Read-only identifier of a check: the SHA-1, in hex, of the first 16 hex digits of its uuid as text. */
export function uniqueKeyOf(uuid: string): string {
  return createHash('sha1').update(uuid.replaceAll('-', '').slice(0, 16), 'ascii').digest('hex');
}
