/** A body made to be costly for who reads it. */
export interface WorstBody {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Buffer;
}

const boundary = 'x';

/** Kind of a body, as a service may read it. */
export type BodyKind = 'json' | 'form' | 'multipart' | 'mail';

/** Bodies of nearly `maxBytes` bytes: deep, wide, many numbers, keys, fields and parts, and long strings. */
export function worstBodies(kind: BodyKind, maxBytes: number): WorstBody[] {
  const texts = textsByKind[kind](maxBytes);
  return texts.map(([name, text]) => ({
    name,
    contentType: contentTypes[kind],
    bytes: Buffer.from(text).subarray(0, maxBytes),
  }));
}

type Texts = readonly (readonly [name: string, text: string])[];

const contentTypes: Readonly<Record<BodyKind, string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  multipart: `multipart/form-data; boundary=${boundary}`,
  mail: 'message/rfc822',
};

const textsByKind: Readonly<Record<BodyKind, (maxBytes: number) => Texts>> = {
  json: jsonTexts,
  form: (maxBytes) => [
    ['many fields', filled('', (n) => `${n.toString(36)}=1`, '', maxBytes, '&')],
    ['one field many times', 'a&'.repeat(maxBytes / 2)],
    ['escapes', `a=${'%C3%A9'.repeat(maxBytes / 6 - 1)}`],
  ],
  multipart: (maxBytes) => [
    ['many text parts', parts((n) => `name="${n}"`, maxBytes)],
    ['many files', parts((n) => `name="file"; filename="${n}"`, maxBytes)],
    ['many boundaries', `--${boundary}\r\n`.repeat(maxBytes / (boundary.length + 4))],
    ['one long part', onePart(maxBytes)],
  ],
  mail: (maxBytes) => [
    ['a long header field', `To: a\n${' b\n'.repeat(maxBytes / 3 - 2)}`],
    ['many header fields', 'a:b\n'.repeat(maxBytes / 4)],
    ['many blocks', `To: a\n${'\n\na:b'.repeat(maxBytes / 5 - 2)}`],
  ],
};

function jsonTexts(maxBytes: number): Texts {
  const list = (item: (n: number) => string) => filled('[', item, ']', maxBytes);
  const object = (member: (n: number) => string) => filled('{', member, '}', maxBytes);
  return [
    ['deep lists', '['.repeat(maxBytes / 2) + ']'.repeat(maxBytes / 2)],
    ['deep objects', '{"a":'.repeat(maxBytes / 6) + '1' + '}'.repeat(maxBytes / 6)],
    ['small numbers', list(() => '1')],
    ['fractions', list(() => '1.1')],
    ['exponents', list(() => '1e308')],
    ['one long number', `[${'1'.repeat(maxBytes - 2)}]`],
    ['empty objects', list(() => '{}')],
    ['objects of many shapes', list((n) => `{"k${n}":1,"j${n}":1}`)],
    ['as many objects as are parsed', list((n) => `{"k${n}":"${'x'.repeat(maxBytes / 400)}"}`)],
    ['many keys', object((n) => `"${n.toString(36)}k":1`)],
    ['as many keys as are parsed', object((n) => `"${n}":"${'x'.repeat(maxBytes / 900)}"`)],
    ['one key many times', object(() => '"a":1')],
    ['escapes', `{"a":"${'\\u00e9'.repeat(maxBytes / 6 - 2)}"}`],
    ['quotation marks without an end', `"${'\\"'.repeat(maxBytes / 2 - 1)}`],
    ['no JSON', ' '.repeat(maxBytes)],
  ];
}

function filled(
  begin: string,
  item: (n: number) => string,
  end: string,
  maxBytes: number,
  separator = ',',
): string {
  const items: string[] = [];
  let left = maxBytes - begin.length - end.length;
  for (let n = 0; ; n += 1) {
    const next = item(n);
    left -= next.length + separator.length;
    if (left < 0) break;
    items.push(next);
  }
  return `${begin}${items.join(separator)}${end}`;
}

function parts(disposition: (n: number) => string, maxBytes: number): string {
  const part = (n: number) =>
    `--${boundary}\r\nContent-Disposition: form-data; ${disposition(n)}\r\n\r\n1\r\n`;
  return filled('', part, `--${boundary}--\r\n`, maxBytes, '');
}

function onePart(maxBytes: number): string {
  const begin = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n`;
  const end = `\r\n--${boundary}--\r\n`;
  return `${begin}${'x'.repeat(maxBytes - begin.length - end.length)}${end}`;
}
