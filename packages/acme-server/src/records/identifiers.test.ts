import { AcmeProblem } from '@certloop/contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Identifier, parseIdentifiers } from './identifiers.js';

const dns = (value: string) => ({ type: 'dns', value });
const ip = (value: string) => ({ type: 'ip', value });

function refusalOf(...asked: { type: string; value: string }[]): AcmeProblem {
  try {
    parseIdentifiers(asked);
  } catch (error) {
    if (error instanceof AcmeProblem) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('parseIdentifiers', () => {
  test.each([
    ['a name', dns('www.example.test'), dns('www.example.test')],
    ['a name in capitals', dns('WWW.Example.TEST'), dns('www.example.test')],
    ['a name of one label', dns('localhost'), dns('localhost')],
    ['a label of 63 letters', dns(`${'a'.repeat(63)}.test`), dns(`${'a'.repeat(63)}.test`)],
    ['an A-label', dns('xn--bcher-kva.test'), dns('xn--bcher-kva.test')],
    ['a wildcard', dns('*.example.test'), dns('*.example.test')],
    ['an A-label of a name that IDNA 2003 wrote otherwise', dns('xn--fa-hia.test'), dns('xn--fa-hia.test')],
    ['hyphens at the place of an A-label prefix', dns('ab--c.test'), dns('ab--c.test')],
    ['digits', dns('1.2.example'), dns('1.2.example')],
    ['digits in front of the last label', dns('example.1a'), dns('example.1a')],
    ['an IPv4 address', ip('192.0.2.1'), ip('192.0.2.1')],
    ['an IPv6 address', ip('2001:db8::1'), ip('2001:db8::1')],
    ['an IPv6 address written at length', ip('2001:0DB8:0:0:0:0:0:1'), ip('2001:db8::1')],
  ])('takes %s', (_, asked, expected) => {
    expect(parseIdentifiers([asked])).toEqual([expected]);
  });

  test.each([
    ['an empty name', dns(''), 'malformed'],
    ['a trailing dot', dns('example.test.'), 'malformed'],
    ['two dots', dns('a..test'), 'malformed'],
    ['a leading dot', dns('.test'), 'malformed'],
    ['an underscore', dns('a_b.test'), 'malformed'],
    ['a hyphen in front', dns('-a.test'), 'malformed'],
    ['a hyphen at the end', dns('a-.test'), 'malformed'],
    ['a label of 64 letters', dns(`${'a'.repeat(64)}.test`), 'malformed'],
    ['a name of 254 characters', dns(`${'a.'.repeat(125)}test`), 'malformed'],
    ['letters beyond ASCII', dns('bücher.test'), 'malformed'],
    ['a wildcard alone', dns('*'), 'malformed'],
    ['a wildcard without a domain', dns('*.'), 'malformed'],
    ['a wildcard in the middle', dns('a.*.test'), 'malformed'],
    ['a wildcard in a label', dns('a*.test'), 'malformed'],
    ['two wildcards', dns('*.*.test'), 'malformed'],
    ['a NUL', dns('a\0.test'), 'malformed'],
    ['a port', dns('a.test:80'), 'malformed'],
    ['an A-label that decodes to nothing', dns('xn--a.test'), 'malformed'],
    ['an empty A-label', dns('xn--.test'), 'malformed'],
    ['an A-label that does not round-trip', dns('xn--bcher-1pa.test'), 'malformed'],
    ['a wildcard of a wrong A-label', dns('*.xn--a.test'), 'malformed'],
    ['a number as the last label', dns('a.1'), 'malformed'],
    ['an address that is out of range', dns('192.0.2.256'), 'malformed'],
    ['an address in a short form', dns('127.1'), 'malformed'],
    ['an address as one number', dns('2130706433'), 'malformed'],
    ['an address in hexadecimal', dns('0x7f000001'), 'malformed'],
    ['an address as a name', dns('192.0.2.1'), 'malformed'],
    ['a name as an address', ip('a.test'), 'malformed'],
    ['an address with a zone', ip('fe80::1%eth0'), 'malformed'],
    ['a network', ip('192.0.2.0/24'), 'malformed'],
    ['a mail address', { type: 'email', value: 'a@b.test' }, 'unsupportedIdentifier'],
  ])('refuses %s', (_, asked, type) => {
    expect(refusalOf(asked)).toMatchObject({
      type,
      subproblems: [{ type: `urn:ietf:params:acme:error:${type}`, identifier: asked }],
    });
  });

  test('returns each once, in the given order', () => {
    const asked = [dns('b.test'), dns('a.test'), dns('B.test'), ip('::1'), ip('0::1')];
    expect(parseIdentifiers(asked)).toEqual([dns('b.test'), dns('a.test'), ip('::1')]);
  });

  test('has a subproblem for each fault', () => {
    const refusal = refusalOf(dns('a_b.test'), dns('fine.test'), { type: 'x', value: 'y' });
    expect(refusal.type).toBe('compound');
    expect(refusal.subproblems.map(({ identifier }) => identifier?.value)).toEqual(['a_b.test', 'y']);
  });

  test('accepts at most a hundred', () => {
    const many = Array.from({ length: 101 }, (_, number) => dns(`n${number}.test`));
    expect(parseIdentifiers(many.slice(1))).toHaveLength(100);
    expect(refusalOf(...many).type).toBe('malformed');
  });
});

test('returns its own result unchanged', () => {
  const label = fc.stringMatching(/^[A-Za-z0-9-]{1,12}$/);
  const name = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'));
  const value = fc.oneof(
    name,
    name.map((text) => `*.${text}`),
    fc.ipV4(),
    fc.ipV6(),
    fc.string(),
  );
  const asked = fc.record({ type: fc.constantFrom('dns', 'ip'), value });
  fc.assert(
    fc.property(asked, (identifier) => {
      let first: Identifier[];
      try {
        first = parseIdentifiers([identifier]);
      } catch {
        return fc.pre(false);
      }
      expect(parseIdentifiers(first)).toEqual(first);
    }),
  );
});
