import type { InvalidInput } from '@certloop/contracts';
import { invalidField } from '../../http/problem.js';

/** Formats that a picture may come in. */
export type AvatarFormat = 'png' | 'jpeg' | 'webp';

/** Longest side of a picture that is read, in pixels. */
export const maxPixels = 4096;

/** Format by the first bytes, whatever the file says that it is; undefined for any other. */
export function avatarFormatOf(bytes: Uint8Array): AvatarFormat | undefined {
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (head.startsWith('\xff\xd8\xff')) return 'jpeg';
  return head.startsWith('RIFF') && head.endsWith('WEBP') ? 'webp' : undefined;
}

/** Throws InvalidInput unless the bytes begin like a picture of one of the formats. */
export function requireAvatarFormat(bytes: Uint8Array): void {
  if (avatarFormatOf(bytes) === undefined) {
    throw avatarFault('must be a PNG, JPEG or WebP picture', 'unsupported_format');
  }
}

export function avatarFault(message: string, code: string): InvalidInput {
  return invalidField('avatar', message, code, { code: 'invalid_avatar', title: 'Picture cannot be used' });
}
