import { AppError, InvalidInput } from '@certloop/contracts';

const maximumDepth = 20;
// without `stream` it keeps nothing from one call to the next
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Value of a JSON body; `undefined` when there are no bytes. Throws InvalidInput for anything that is not UTF-8 or
 * not JSON (RFC 8259), or nests deeper than 20, and an unsupported_media_type refusal for another type.
 */
export function parseJsonBody(bytes: Uint8Array, contentType: string | undefined): unknown {
  if (bytes.length === 0) return undefined;
  if (!isJson(contentType)) {
    throw new AppError('unsupported_media_type', 'Content-Type must be application/json');
  }
  const value = parseJson(bytes);
  if (depthExceeds(value, maximumDepth)) {
    throw new InvalidInput(`body must not nest deeper than ${maximumDepth} levels`, {
      fields: [{ path: 'body', code: 'too_deep', message: 'nests too deep' }],
    });
  }
  return value;
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

function depthExceeds(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((member) => depthExceeds(member, levels - 1));
}
