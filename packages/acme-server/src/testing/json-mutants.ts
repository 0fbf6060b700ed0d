/** Values that programs do not expect. */
const oddValues: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  '',
  ' ',
  '\u0000',
  '\ud800',
  '../..',
  '%00',
  'urn:x',
  'A'.repeat(5_000),
  '__proto__',
  [],
  [[]],
  [null],
  {},
  { constructor: { prototype: 1 } },
];

export interface JsonMutant {
  /** Place and change, such as `identifiers.0.value = null`. */
  readonly name: string;
  readonly value: unknown;
}

/**
 * Returns copies of a JSON value that each differ in one place: a value is replaced by an odd one, a member is missing or
 * added, or an element is there a hundred times.
 */
export function jsonMutants(value: unknown, place = ''): JsonMutant[] {
  const replaced = oddValues.map((odd) => ({ name: `${place} = ${shown(odd)}`, value: odd }));
  if (typeof value !== 'object' || value === null) return replaced;
  const inside = Object.entries(value).flatMap(([key, member]) => {
    const path = place === '' ? key : `${place}.${key}`;
    const changed = jsonMutants(member, path).map((mutant) => ({
      name: mutant.name,
      value: withMember(value, key, mutant.value),
    }));
    return [...changed, { name: `${path} is missing`, value: without(value, key) }];
  });
  return [...replaced, ...inside, ...larger(value, place)];
}

function larger(value: object, place: string): JsonMutant[] {
  if (Array.isArray(value)) {
    const many = Array.from({ length: 101 }, () => value[0] as unknown);
    return [{ name: `${place} 101 times`, value: many }];
  }
  return ['__proto__', 'constructor', 'a\u0000b'].map((key) => ({
    name: `${place} has ${JSON.stringify(key)}`,
    value: withMember(value, key, { x: 1 }),
  }));
}

function withMember(value: object, key: string, member: unknown): unknown {
  if (Array.isArray(value)) return value.map((each: unknown, at) => (String(at) === key ? member : each));
  // an assignment to __proto__ would change the prototype and add no member
  return Object.fromEntries([...Object.entries(value).filter(([name]) => name !== key), [key, member]]);
}

function without(value: object, key: string): unknown {
  const rest = Object.entries(value).filter(([name]) => name !== key);
  return Array.isArray(value) ? rest.map(([, member]) => member as unknown) : Object.fromEntries(rest);
}

const shown = (value: unknown): string => JSON.stringify(value).slice(0, 40);

/** Returns copies of some bytes that each differ in one bit, or end early. */
export function byteMutants(bytes: Uint8Array): { readonly name: string; readonly value: Buffer }[] {
  return Array.from(bytes, (byte, at) => {
    const flipped = Buffer.from(bytes);
    flipped[at] = byte ^ (1 << (at % 8));
    return [
      { name: `byte ${at} ^ ${1 << (at % 8)}`, value: flipped },
      { name: `only ${at} bytes`, value: Buffer.from(bytes.subarray(0, at)) },
    ];
  }).flat();
}
