import { InvalidInput } from '@certloop/contracts';
import { describe, expect, test } from 'vitest';
import { contextConstructed, contextPrimitive, parseDer } from '../der/der.js';
import { encode, encodeInteger, encodeSequence } from '../der/der-writer.js';
import { type GeneralNames, noGeneralNames } from './general-names.js';
import { constraintFault, encodePermittedNames, parseNameConstraints } from './name-constraints.js';
import { encodeName, parseName, type SubjectFields } from './names.js';

const ascii = (text: string) => Buffer.from(text, 'latin1');
const subtree = (tag: number, content: Buffer) => encodeSequence(encode(tag, content));
const dns = (name: string) => subtree(contextPrimitive(2), ascii(name));
const mail = (name: string) => subtree(contextPrimitive(1), ascii(name));
const uri = (name: string) => subtree(contextPrimitive(6), ascii(name));
const ip = (hex: string) => subtree(contextPrimitive(7), Buffer.from(hex, 'hex'));
const directory = (fields: SubjectFields) => subtree(contextConstructed(4), encodeName(fields));
const permitted = (...subtrees: Buffer[]) => encode(contextConstructed(0), ...subtrees);
const excluded = (...subtrees: Buffer[]) => encode(contextConstructed(1), ...subtrees);

function isAllowed(
  parts: readonly Buffer[],
  names: Partial<GeneralNames>,
  subject: SubjectFields = {},
): boolean {
  const constraints = parseNameConstraints(encodeSequence(...parts));
  const name = parseName(parseDer(encodeName(subject), 'name'));
  const subjectAltNames = { ...noGeneralNames, ...names };
  return constraintFault(constraints, { subject: name, subjectAltNames }) === undefined;
}

describe('constraintFault (RFC 5280 §4.2.1.10)', () => {
  test.each<[string, Buffer[], string, boolean]>([
    ['the base itself', [permitted(dns('corp.test'))], 'corp.test', true],
    ['a name below', [permitted(dns('corp.test'))], 'a.b.corp.test', true],
    ['another case', [permitted(dns('Corp.Test'))], 'A.CORP.TEST', true],
    ['a wildcard below', [permitted(dns('corp.test'))], '*.corp.test', true],
    ['a name that ends alike without a dot', [permitted(dns('corp.test'))], 'notcorp.test', false],
    ['the parent', [permitted(dns('corp.test'))], 'test', false],
    ['another name', [permitted(dns('corp.test'))], 'login.bank.example', false],
    ['the base under a dot', [permitted(dns('.corp.test'))], 'corp.test', false],
    ['a name below a dot', [permitted(dns('.corp.test'))], 'a.corp.test', true],
    ['one of two bases', [permitted(dns('a.test'), dns('b.test'))], 'x.b.test', true],
    ['an excluded name', [excluded(dns('bad.test'))], 'x.bad.test', false],
    ['a name that is not excluded', [excluded(dns('bad.test'))], 'good.test', true],
    ['excluded within permitted', [permitted(dns('test')), excluded(dns('bad.test'))], 'bad.test', false],
    ['a wildcard over an excluded name', [excluded(dns('a.corp.test'))], '*.corp.test', false],
    ['a wildcard next to an excluded name', [excluded(dns('a.b.corp.test'))], '*.corp.test', true],
    ['everything excluded', [excluded(dns(''))], 'a.test', false],
    ['a kind without constraints', [permitted(ip('0a000000ff000000'))], 'a.test', true],
  ])('host names: %s', (_, parts, name, expected) => {
    expect(isAllowed(parts, { dnsNames: [name] })).toBe(expected);
  });

  test.each<[string, Buffer[], string, boolean]>([
    ['within', [permitted(ip('0a000000ff000000'))], '10.1.2.3', true],
    ['outside', [permitted(ip('0a000000ff000000'))], '11.0.0.1', false],
    ['of the other version', [permitted(ip('0a000000ff000000'))], '2001:db8::1', false],
    [
      'of version 6 within',
      [permitted(ip(`20010db8${'0'.repeat(24)}ffffffff${'0'.repeat(24)}`))],
      '2001:db8::9',
      true,
    ],
    ['excluded', [excluded(ip('00000000'.repeat(2)))], '192.0.2.1', false],
  ])('addresses: %s', (_, parts, address, expected) => {
    expect(isAllowed(parts, { ipAddresses: [address] })).toBe(expected);
  });

  test.each<[string, Buffer[], Partial<GeneralNames>, SubjectFields, boolean]>([
    ['a common name is judged alone', [permitted(dns('a.test'))], {}, { commonName: 'b.test' }, false],
    [
      'a common name in addition to names is not',
      [permitted(dns('a.test'))],
      { dnsNames: ['a.test'] },
      { commonName: 'b.test' },
      true,
    ],
    [
      'a common name that is not a host is not',
      [permitted(dns('a.test'))],
      {},
      { commonName: 'Ada Lovelace' },
      true,
    ],
    ['a mailbox', [permitted(mail('a@x.test'))], { emailAddresses: ['a@x.test'] }, {}, true],
    ['another mailbox', [permitted(mail('a@x.test'))], { emailAddresses: ['b@x.test'] }, {}, false],
    ['a mail host', [permitted(mail('x.test'))], { emailAddresses: ['b@x.test'] }, {}, true],
    ['a host below a mail host', [permitted(mail('x.test'))], { emailAddresses: ['b@y.x.test'] }, {}, false],
    ['mail hosts below', [permitted(mail('.x.test'))], { emailAddresses: ['b@y.x.test'] }, {}, true],
    ['a URI by its host', [permitted(uri('x.test'))], { uris: ['https://x.test:8/p'] }, {}, true],
    ['a URI of another host', [permitted(uri('x.test'))], { uris: ['https://y.test/'] }, {}, false],
    [
      'a subject below a directory name',
      [permitted(directory({ organization: 'Oak' }))],
      {},
      { organization: 'oak', commonName: 'x y' },
      true,
    ],
    [
      'a subject elsewhere',
      [permitted(directory({ organization: 'Oak' }))],
      {},
      { organization: 'Elm' },
      false,
    ],
    ['no subject', [permitted(directory({ organization: 'Oak' }))], { dnsNames: ['a.test'] }, {}, true],
    [
      'a kind that cannot be compared',
      [permitted(subtree(contextPrimitive(8), Buffer.of(42)))],
      { otherNames: ['registeredID:1.2'] },
      {},
      false,
    ],
  ])('%s', (_, parts, names, subject, expected) => {
    expect(isAllowed(parts, names, subject)).toBe(expected);
  });

  test('names the rejected value and the allowed ones', () => {
    const constraints = parseNameConstraints(encodeSequence(permitted(dns('corp.test'))));
    const subjectAltNames = { ...noGeneralNames, dnsNames: ['login.bank.example'] };
    expect(constraintFault(constraints, { subject: [], subjectAltNames })).toBe(
      'its issuer is not allowed to issue for "login.bank.example", only for corp.test',
    );
  });

  test.each([
    ['a range of five octets', encodeSequence(permitted(ip('0a00000000')))],
    ['a maximum', encodeSequence(permitted(encodeSequence(encode(contextPrimitive(2)), encodeInteger(1n))))],
    ['no sequence', encodeInteger(1n)],
  ])('a value with %s is malformed', (_, value) => {
    expect(() => parseNameConstraints(value)).toThrow(InvalidInput);
  });
});

describe('encodePermittedNames', () => {
  const allows = (dnsNames: string[], cidrs: string[], names: Partial<GeneralNames>) => {
    const constraints = parseNameConstraints(encodePermittedNames({ dnsNames, cidrs }));
    return (
      constraintFault(constraints, { subject: [], subjectAltNames: { ...noGeneralNames, ...names } }) ===
      undefined
    );
  };
  test.each<[string[], string[], Partial<GeneralNames>, boolean]>([
    [['corp.test'], [], { dnsNames: ['a.corp.test'] }, true],
    [['corp.test'], [], { dnsNames: ['a.test'] }, false],
    [['corp.test'], [], { ipAddresses: ['10.0.0.1'] }, false],
    [['corp.test'], [], { ipAddresses: ['2001:db8::1'] }, false],
    [[], ['10.0.0.0/8'], { ipAddresses: ['10.9.9.9'] }, true],
    [[], ['10.0.0.0/12'], { ipAddresses: ['10.16.0.0'] }, false],
    [[], ['10.0.0.0/8'], { dnsNames: ['a.test'] }, false],
    [[], ['2001:db8::/33'], { ipAddresses: ['2001:db8:7fff::1'] }, true],
    [[], ['2001:db8::/33'], { ipAddresses: ['2001:db8:8000::1'] }, false],
    [[], ['192.0.2.1/32'], { ipAddresses: ['192.0.2.1'] }, true],
    [[], ['0.0.0.0/0'], { ipAddresses: ['192.0.2.1'] }, true],
  ])('%j and %j for %j', (dnsNames, cidrs, names, expected) => {
    expect(allows(dnsNames, cidrs, names)).toBe(expected);
  });

  test.each(['10.0.0.0', '10.0.0.0/33', 'a/8', '10.0.0.0/-1'])('rejects the range %s', (cidr) => {
    expect(() => encodePermittedNames({ dnsNames: [], cidrs: [cidr] })).toThrow(/is not an address range/);
  });
});
