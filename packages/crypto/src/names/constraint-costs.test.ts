import { cpuMsOf, excessMs } from '@certloop/contracts/testing';
import fc, { type Arbitrary, array, constant, constantFrom, oneof, record, tuple } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contextConstructed, contextPrimitive, parseDer } from '../der/der.js';
import { encode, encodeSequence } from '../der/der-writer.js';
import { type GeneralNames, noGeneralNames } from './general-names.js';
import { parseIpAddress } from './ip-addresses.js';
import { type ConstrainedNames, constraintFault, parseNameConstraints } from './name-constraints.js';
import { encodeName, formatName, listCommonNames, parseName } from './names.js';

type Kind = keyof GeneralNames;

/** A subtree as a test states it: a text, a CIDR range as hex of address and mask, or the organization of a name. */
type Base = readonly [kind: Kind, base: string];

const tags = { emailAddresses: 1, dnsNames: 2, uris: 6 } as const;

function encodeBase([kind, base]: Base): Buffer {
  switch (kind) {
    case 'ipAddresses':
      return encodeSequence(encode(contextPrimitive(7), Buffer.from(base, 'hex')));
    case 'directoryNames':
      return encodeSequence(encode(contextConstructed(4), nameDer(base)));
    case 'otherNames':
      return encodeSequence(encode(contextPrimitive(8), Buffer.of(42)));
    default:
      return encodeSequence(encode(contextPrimitive(tags[kind]), Buffer.from(base, 'latin1')));
  }
}

const nameDer = (organization: string): Buffer =>
  organization === '' ? encodeName({}) : encodeName({ organization, organizationalUnit: 'Unit' });

function encodeConstraints(permitted: readonly Base[], excluded: readonly Base[]): Buffer {
  return encodeSequence(
    ...(permitted.length === 0 ? [] : [encode(contextConstructed(0), ...permitted.map(encodeBase))]),
    ...(excluded.length === 0 ? [] : [encode(contextConstructed(1), ...excluded.map(encodeBase))]),
  );
}

describe('constraintFault on as many names and subtrees as an upload of 64 KiB has', () => {
  const many = (count: number, make: (n: number) => string) =>
    Array.from({ length: count }, (_, n) => make(n));
  const hex = (n: number) => n.toString(16).padStart(8, '0');
  const dotted = (n: number) => [10, n >> 16, (n >> 8) & 255, n & 255].join('.');
  test.each<[string, Kind, string[], string[]]>([
    ['host names', 'dnsNames', many(4640, () => 'a.b'), many(4640, () => 'c')],
    ['different host names', 'dnsNames', many(3000, (n) => `${n}.b`), many(3000, (n) => `${n}.c`)],
    ['wildcards', 'dnsNames', many(4640, () => '*.a'), many(3314, () => 'b.c')],
    [
      'one name of very many labels',
      'dnsNames',
      ['a.'.repeat(12_000)],
      many(60, (n) => `b${'.a'.repeat(n * 8)}`),
    ],
    ['URIs', 'uris', many(4640, () => 'a://b'), many(4640, () => 'c')],
    ['URIs with bases below hosts', 'uris', many(3000, (n) => `a://${n}b`), many(3000, () => '.c.d')],
    ['mailboxes', 'emailAddresses', many(4640, () => 'a@b'), many(4640, () => 'c')],
    ['mailboxes and mailboxes', 'emailAddresses', many(3000, (n) => `a@${n}b`), many(3000, () => 'c@d')],
    ['directory names', 'directoryNames', many(800, (n) => `O=${n},C=DE`), many(800, (n) => `o${n}`)],
    ['addresses and one range', 'ipAddresses', many(3866, dotted), [`${hex(0)}ffffffff`]],
    ['addresses up to the bound', 'ipAddresses', many(500, dotted), many(500, (n) => `${hex(n)}ffffffff`)],
    [
      'addresses of version 6 up to the bound',
      'ipAddresses',
      many(500, (n) => `2001:db8::${n}`),
      many(500, (n) => `${hex(n).repeat(4)}${'f'.repeat(32)}`),
    ],
  ])('%s: stays below 50 ms of CPU', async (_, kind, names, bases) => {
    const judge = judgeOf(kind, names, bases);
    expect(await excessMs(50, () => cpuMsOf(judge))).toBeUndefined();
    expect(judge()).toBeUndefined();
  });

  test('more addresses and ranges than are compared: names the bound', async () => {
    const ranges = many(1933, (n) => `${hex(n)}ffffffff`);
    const judge = judgeOf('ipAddresses', many(3866, dotted), ranges);
    expect(await excessMs(50, () => cpuMsOf(judge))).toBeUndefined();
    expect(judge()).toMatch(/make more than 250000 pairs to compare$/);
  });
});

/** Reads constraints with excluded bases, and judges names by them. Encoding them is no work of the product. */
function judgeOf(kind: Kind, names: readonly string[], bases: readonly string[]): () => string | undefined {
  const value = encodeConstraints(
    [],
    bases.map((base) => [kind, base]),
  );
  const judged = { subject: [], subjectAltNames: { ...noGeneralNames, [kind]: names } };
  return () => constraintFault(parseNameConstraints(value), judged);
}

/** The rules as RFC 5280 §4.2.1.10 states them, each name with each base: what the product compares faster. */
function plainVerdict(
  permitted: readonly Base[],
  excluded: readonly Base[],
  names: ConstrainedNames,
): boolean {
  const { dnsNames, ipAddresses, directoryNames } = names.subjectAltNames;
  const hasHosts = dnsNames.length > 0 || ipAddresses.length > 0;
  const commonNames = listCommonNames(names.subject).filter((name) =>
    /^(\*\.)?[\w-]+(\.[\w-]+)*$/.test(name),
  );
  const judged = {
    ...names.subjectAltNames,
    dnsNames: hasHosts ? dnsNames : commonNames,
    directoryNames:
      names.subject.length === 0 ? directoryNames : [formatName(names.subject), ...directoryNames],
  };
  return (Object.keys(judged) as Kind[]).every((kind) => {
    const allowed = permitted.filter(([each]) => each === kind);
    const refused = excluded.filter(([each]) => each === kind);
    return judged[kind].every((each) => {
      const name = each.toLowerCase();
      if (refused.some(([, base]) => isWithin(kind, name, base) || isCovered(kind, name, base))) return false;
      return allowed.length === 0 || allowed.some(([, base]) => isWithin(kind, name, base));
    });
  });
}

function isWithin(kind: Kind, name: string, stated: string): boolean {
  const base = stated.toLowerCase();
  const isHostWithin = (host: string) => (base.startsWith('.') ? host.endsWith(base) : host === base);
  switch (kind) {
    case 'dnsNames': {
      const host = name.replace(/\.$/, '');
      return base === '' || host === base || host.endsWith(base.startsWith('.') ? base : `.${base}`);
    }
    case 'ipAddresses':
      return isInRange(name, Buffer.from(stated, 'hex'));
    case 'emailAddresses':
      return base.includes('@') ? name === base : isHostWithin(name.slice(name.lastIndexOf('@') + 1));
    case 'uris':
      return isHostWithin(URL.canParse(name) ? new URL(name).hostname : '');
    case 'directoryNames': {
      const text = formatName(parseName(parseDer(nameDer(stated), 'name'))).toLowerCase();
      return text === '' || name === text || name.endsWith(`,${text}`);
    }
    case 'otherNames':
      return false;
  }
}

function isCovered(kind: Kind, name: string, base: string): boolean {
  if (kind !== 'dnsNames') return kind === 'otherNames';
  if (!name.startsWith('*.')) return false;
  const [, ...above] = base.toLowerCase().replace(/^\./, '').split('.');
  return above.join('.') === name.slice(2);
}

function isInRange(name: string, range: Buffer): boolean {
  const octets = parseIpAddress(name);
  const [address, mask] = [range.subarray(0, range.length / 2), range.subarray(range.length / 2)];
  if (octets?.length !== address.length) return false;
  return octets.every(
    (octet, place) => (octet & (mask[place] ?? 0)) === ((address[place] ?? 0) & (mask[place] ?? 0)),
  );
}

test('gives the verdict of a comparison of each name with each base', () => {
  const label = constantFrom('', 'a', 'b', 'B', '*');
  const host = array(label, { maxLength: 4 }).map((labels) => labels.join('.'));
  const mail = tuple(constantFrom('', 'x@', 'X@', 'x@y@'), host).map((parts) => parts.join(''));
  const uri = tuple(constantFrom('', 'h://', 'h://x@', 'https://'), host).map((parts) => parts.join(''));
  const octets = constantFrom('00', '0a', 'ff', '80');
  const octet = constantFrom('0', '10', '128', '255');
  const address = array(octet, { minLength: 4, maxLength: 4 }).map((all) => all.join('.'));
  const address6 = constantFrom('::', '::ffff:10.0.0.0', 'a::80', '80:0:ff::');
  const organization = constantFrom('', 'a', 'A', 'a,b', 'b');
  const text = organization.map((each) => formatName(parseName(parseDer(nameDer(each), 'name'))));
  const ranges = constantFrom(8, 32).chain((length) =>
    array(octets, { minLength: length, maxLength: length }),
  );
  const of = (kind: Kind, base: Arbitrary<string>): Arbitrary<Base> => base.map((each) => [kind, each]);
  const base = oneof(
    of('dnsNames', host),
    of('emailAddresses', mail),
    of('uris', host),
    of('directoryNames', organization),
    of(
      'ipAddresses',
      ranges.map((all) => all.join('')),
    ),
    of('otherNames', constant('')),
  );
  const names = record({
    dnsNames: array(host, { maxLength: 3 }),
    emailAddresses: array(mail, { maxLength: 2 }),
    ipAddresses: tuple(array(address, { maxLength: 2 }), array(address6, { maxLength: 2 })).map((both) =>
      both.flat(),
    ),
    uris: array(uri, { maxLength: 2 }),
    directoryNames: array(text, { maxLength: 2 }),
    otherNames: array(constantFrom('registeredID:1.2'), { maxLength: 1 }),
  });
  const bases = array(base, { maxLength: 4 });
  const commonName = constantFrom('', 'a', 'a.b', '*.a', 'A b');
  const hits = { allowed: 0, refused: 0 };
  fc.assert(
    fc.property(bases, bases, names, commonName, (permitted, excluded, subjectAltNames, common) => {
      const subject = parseName(parseDer(encodeName(common === '' ? {} : { commonName: common }), 'name'));
      const judged = { subject, subjectAltNames };
      const constraints = parseNameConstraints(encodeConstraints(permitted, excluded));
      const isAllowed = constraintFault(constraints, judged) === undefined;
      hits[isAllowed ? 'allowed' : 'refused'] += 1;
      expect(isAllowed).toBe(plainVerdict(permitted, excluded, judged));
    }),
    { numRuns: 2000 },
  );
  // both verdicts are frequent, so that the comparison says something
  expect(Math.min(hits.allowed, hits.refused)).toBeGreaterThan(200);
});
