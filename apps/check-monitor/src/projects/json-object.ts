import { InvalidInput } from '@certloop/contracts';

/** Members of a request body. Numbers written with a fraction or an exponent are never whole numbers. */
export type JsonObject = Readonly<Record<string, unknown>>;

// a byte order mark stays in the text and fails, as in other JSON parsers
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses a body as an object, with any Content-Type; an empty body is an empty object. Throws InvalidInput for a body
 * that is not UTF-8, not JSON, or not an object.
 */
export function parseJsonObject(bytes: Uint8Array): JsonObject {
  if (bytes.length === 0) return {};
  const value = parseJson(bytes);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new InvalidInput('json validation error: value is not an object');
  }
  return value as JsonObject;
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    const text = utf8.decode(bytes);
    const value: unknown = JSON.parse(text);
    return mayHoldFraction.test(text) ? JSON.parse(markFractions(text)) : value;
  } catch (cause) {
    throw new InvalidInput('could not parse request body', { cause });
  }
}

const mayHoldFraction = /[0-9][.eE]/;
const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/g;

/** JSON.parse reads `60.0` and `6e1` as whole numbers, which this API rejects: this gives each a fraction. */
function markFractions(text: string): string {
  return text.replace(stringOrNumber, (token) =>
    !token.startsWith('"') && /[.eE]/.test(token) ? '0.5' : token,
  );
}
