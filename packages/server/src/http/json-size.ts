/** Sizes of a JSON text that cost more than its length. */
export interface JsonSize {
  /** Levels of lists and objects. */
  readonly depth: number;
  /** At least the number of values, and at most twice that number. */
  readonly values: number;
}

/** Levels of lists and objects that a JSON text may have. */
const maxDepth = 20;
/** Values that a JSON text may have. */
const maxKnownValues = 10_000;
/** Values that a JSON text may have whose sender may be anyone. */
export const maxPublicValues = 1_000;

export interface JsonFault {
  readonly code: 'too_deep' | 'too_many_values';
  /** Rule that the text breaks, to be put after its name. */
  readonly message: string;
}

/**
 * Why a JSON text must not be parsed; undefined if it may be. JSON.parse of such a text would hold up the process for a
 * long time, although the text is short.
 */
export function faultOfJsonSize(text: Uint8Array, maxValues = maxKnownValues): JsonFault | undefined {
  const { depth, values } = measureJson(text, { depth: maxDepth, values: maxValues });
  if (depth > maxDepth) {
    return { code: 'too_deep', message: `must not nest deeper than ${maxDepth} levels` };
  }
  if (values > maxValues) {
    return { code: 'too_many_values', message: `must not have more than ${maxValues} values` };
  }
  return undefined;
}

const quote = 0x22;
const comma = 0x2c;
const openList = 0x5b;
const backslash = 0x5c;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/**
 * Size of a JSON text in UTF-8, in time proportional to its length, as far as it is within the limits: nothing is read
 * behind the place that exceeds one of them. The result is correct for valid JSON, and does not matter for other texts.
 */
export function measureJson(text: Uint8Array, limits: JsonSize): JsonSize {
  let [depth, open, values] = [0, 0, 1];
  for (let at = 0; at < text.length && depth <= limits.depth && values <= limits.values; at += 1) {
    const byte = text[at];
    if (byte === quote) at = endOfString(text, at);
    else if (byte === comma) values += 1;
    else if (byte === openList || byte === openObject) {
      values += 1;
      open += 1;
      if (open > depth) depth = open;
    } else if (byte === closeList || byte === closeObject) open -= 1;
  }
  return { depth, values };
}

/** Place of the quotation mark that ends the string that begins at `at`; the length of the text if there is none. */
export function endOfString(text: Uint8Array, at: number): number {
  let end = at + 1;
  while (end < text.length && text[end] !== quote) end += text[end] === backslash ? 2 : 1;
  return end;
}
