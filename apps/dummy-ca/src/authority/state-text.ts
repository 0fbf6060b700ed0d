/** Text of a record for the file of the state: JSON in which moments and octets stay what they are. */
export function stateText(record: unknown): string {
  return JSON.stringify(marked(record));
}

/** The record of the text. */
export function fromStateText(text: string): unknown {
  return JSON.parse(text, (_, value: unknown) => unmarked(value));
}

const moment = '$date';
const octets = '$octets';

function marked(value: unknown): unknown {
  if (value instanceof Date) return { [moment]: value.toISOString() };
  if (value instanceof Uint8Array) return { [octets]: Buffer.from(value).toString('base64') };
  if (Array.isArray(value)) return value.map(marked);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, marked(member)]));
}

function unmarked(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const [[key, text] = []] = entries;
  if (entries.length !== 1 || typeof text !== 'string') return value;
  if (key === moment) return new Date(text);
  return key === octets ? Buffer.from(text, 'base64') : value;
}
