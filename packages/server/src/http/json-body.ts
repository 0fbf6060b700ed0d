import { AppError, InvalidInput } from '@certloop/contracts';
import { faultOfJsonSize } from './json-size.js';

// without `stream` it keeps nothing from one call to the next
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Value of a JSON body; `undefined` when there are no bytes. Throws InvalidInput for anything that is not UTF-8 or
 * not JSON (RFC 8259), nests deeper than 20 levels or has more than `maxValues` values, and an unsupported_media_type
 * refusal for another type.
 */
export function parseJsonBody(
  bytes: Uint8Array,
  contentType: string | undefined,
  maxValues?: number,
): unknown {
  if (bytes.length === 0) return undefined;
  if (!isJson(contentType)) {
    throw new AppError('unsupported_media_type', 'Content-Type must be application/json');
  }
  const fault = faultOfJsonSize(bytes, maxValues);
  if (fault !== undefined) {
    throw new InvalidInput(`body ${fault.message}`, { fields: [{ path: 'body', ...fault }] });
  }
  return parseJson(bytes);
}

function isJson(contentType: string | undefined): boolean {
  return /^\s*application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(contentType ?? '');
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch (cause) {
    throw new InvalidInput('body must be JSON in UTF-8', {
      cause,
      fields: [{ path: 'body', code: 'invalid_json', message: 'is not JSON in UTF-8' }],
    });
  }
}
