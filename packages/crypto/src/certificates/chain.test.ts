import { randomBytes } from 'node:crypto';
import { InvalidInput } from '@certloop/contracts';
import { cpuMsOf, excessMs } from '@certloop/contracts/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  authorityParts,
  type CertificateParts,
  type Forger,
  forgeCertificate,
  forgeExtension,
} from '../../test/forge-certificate.js';
import {
  encodeBitOctets,
  encodeInteger,
  encodeNamedBits,
  encodeOid,
  encodeSequence,
} from '../der/der-writer.js';
import { oid } from '../der/oids.js';
import { encodeTime } from '../der/times.js';
import { exportSpki, generateKeyPair } from '../keys/keys.js';
import { encodePermittedNames } from '../names/name-constraints.js';
import { encodeName } from '../names/names.js';
import { type Certificate, parseCertificate } from './certificate.js';
import { checkChain, isIssuedBy, orderChain, pickChain, verifyLeafSignature } from './chain.js';
import { encodeExtension } from './extensions.js';

interface Authority {
  readonly forger: Forger;
  readonly spki: Buffer;
  readonly certificate: Certificate;
}

async function makeAuthority(
  name: string,
  by?: Authority,
  parts: CertificateParts = {},
  pathLength?: number,
): Promise<Authority> {
  const { privateKey } = await generateKeyPair('P-256');
  const forger = { privateKey, name: encodeName({ commonName: name }) };
  const spki = exportSpki(privateKey);
  const valid = authorityParts(name, pathLength);
  const all = { ...valid, ...parts, extensions: { ...valid.extensions, ...parts.extensions } };
  const certificate = parseCertificate(await forgeCertificate(by?.forger ?? forger, spki, all));
  return { forger, spki, certificate };
}

async function makeLeaf(by: Authority, parts: CertificateParts = {}): Promise<Certificate> {
  const { publicKey } = await generateKeyPair('P-256');
  return parseCertificate(await forgeCertificate(by.forger, exportSpki(publicKey), parts));
}

const now = new Date('2026-06-01T00:00:00Z');
let root: Authority;
let intermediate: Authority;
let leaf: Certificate;

beforeAll(async () => {
  root = await makeAuthority('Root');
  intermediate = await makeAuthority('Intermediate', root);
  leaf = await makeLeaf(intermediate);
});

describe('isIssuedBy', () => {
  test('is true along the chain and false across it', () => {
    expect(isIssuedBy(leaf, intermediate.certificate)).toBe(true);
    expect(isIssuedBy(intermediate.certificate, root.certificate)).toBe(true);
    expect(isIssuedBy(root.certificate, root.certificate)).toBe(true);
    expect(isIssuedBy(leaf, root.certificate)).toBe(false);
    expect(isIssuedBy(root.certificate, leaf)).toBe(false);
  });

  test('an authority of the same name with another key is not the issuer', async () => {
    const nameSake = await makeAuthority('Intermediate', root);
    expect(isIssuedBy(leaf, nameSake.certificate)).toBe(false);
  });

  test('a leaf is not an issuer, even of certificates that it signed', async () => {
    const { privateKey } = await generateKeyPair('P-256');
    const forger = { privateKey, name: encodeName({ commonName: 'leaf.test' }) };
    const notAnAuthority = parseCertificate(await forgeCertificate(root.forger, exportSpki(privateKey)));
    const below = parseCertificate(await forgeCertificate(forger, exportSpki(privateKey)));
    expect(isIssuedBy(below, notAnAuthority)).toBe(false);
  });

  test('an authority that may not sign certificates is not an issuer', async () => {
    const muted = await makeAuthority('Muted', root, {
      extensions: { keyUsage: forgeExtension('keyUsage', true, encodeNamedBits([6])) },
    });
    expect(isIssuedBy(await makeLeaf(muted), muted.certificate)).toBe(false);
  });
});

describe('verifyLeafSignature', () => {
  const broken = ({ der }: Certificate) => {
    const copy = Buffer.from(der);
    copy[copy.length - 1] = (copy.at(-1) ?? 0) ^ 1;
    return parseCertificate(copy);
  };
  const selfSigned = async () => {
    const { privateKey } = await generateKeyPair('P-256');
    const forger = { privateKey, name: encodeName({ commonName: 'leaf.test' }) };
    return parseCertificate(await forgeCertificate(forger, exportSpki(privateKey)));
  };

  test('is valid with the issuer, and unknown without it, whatever the signature', () => {
    expect(verifyLeafSignature(leaf, [intermediate.certificate])).toBe('valid');
    expect(verifyLeafSignature(leaf, [])).toBe('unknown');
    expect(verifyLeafSignature(broken(leaf), [])).toBe('unknown');
  });

  test('is judged by its own key if it names itself as issuer', async () => {
    const own = await selfSigned();
    expect(own.isCa).toBe(false);
    expect(verifyLeafSignature(own, [])).toBe('valid');
    expect(verifyLeafSignature(broken(own), [])).toBe('invalid');
  });
});

describe('orderChain', () => {
  const orderOf = (...certificates: Certificate[]): string[] =>
    orderChain(certificates.map((certificate) => certificate.der)).map(({ serialNumber: _, subject }) =>
      subject
        .flat()
        .map((attribute) => attribute.text)
        .join(),
    );

  test('puts the leaf first and the root last, from any order', () => {
    const ordered = ['leaf.test', 'Intermediate', 'Root'];
    expect(orderOf(leaf, intermediate.certificate, root.certificate)).toEqual(ordered);
    expect(orderOf(root.certificate, leaf, intermediate.certificate)).toEqual(ordered);
    expect(orderOf(intermediate.certificate, leaf)).toEqual(ordered.slice(0, 2));
    expect(orderOf(leaf)).toEqual(['leaf.test']);
    expect(orderOf(root.certificate)).toEqual(['Root']);
  });

  test('removes duplicates', () => {
    expect(orderOf(leaf, intermediate.certificate, leaf)).toEqual(['leaf.test', 'Intermediate']);
  });

  test('rejects certificates that do not form one chain', async () => {
    const stranger = await makeAuthority('Stranger');
    const sibling = await makeLeaf(intermediate, { subject: encodeName({ commonName: 'other.test' }) });
    expect(() => orderOf(leaf, stranger.certificate)).toThrow(InvalidInput);
    expect(() => orderOf(leaf, sibling, intermediate.certificate)).toThrow(/do not belong together/);
    expect(() => orderOf(leaf, root.certificate)).toThrow(/do not belong together/);
    expect(() => orderOf()).toThrow(/no leaf/);
  });

  test.each([
    [16, 8192, 65_537n],
    [16, 8192, 2n ** 32n - 1n],
    [9, 16_384, 2n ** 32n - 1n],
  ])('rejects %i look-alikes with keys of %i bits within 50 ms of CPU', async (count, bits, exponent) => {
    const lookAlikes = await Promise.all(Array.from({ length: count }, () => lookAlike(bits, exponent)));
    const order = () => expect(() => orderOf(...lookAlikes)).toThrow(/it takes too long to verify them$/);
    expect(await excessMs(50, () => cpuMsOf(order))).toBeUndefined();
    const [first, ...others] = lookAlikes;
    if (first === undefined) throw new RangeError('no certificates');
    expect(checkChain(first, others, others, now)).toMatchObject({ ok: false });
  });
});

describe('pickChain', () => {
  const isLeaf = (one: Certificate) => one.spkiDer.equals(leaf.spkiDer);
  const pick = (...certificates: Certificate[]) =>
    pickChain(
      certificates.map(({ der }) => parseCertificate(der)),
      isLeaf,
      now,
    );

  test('drops what the chain does not need, in any order', async () => {
    const stranger = await makeAuthority('Stranger');
    const sibling = await makeLeaf(intermediate, { subject: encodeName({ commonName: 'other.test' }) });
    const chain = [leaf, intermediate.certificate, root.certificate];
    expect(pick(...chain, stranger.certificate)).toEqual(chain);
    expect(
      pick(sibling, root.certificate, stranger.certificate, intermediate.certificate, leaf, leaf),
    ).toEqual(chain);
    expect(pick(leaf, root.certificate)).toEqual([leaf]);
  });

  test('prefers an issuer that is valid', async () => {
    const notAfter = encodeTime(new Date('2026-05-01T00:00:00Z'));
    const parts = { ...authorityParts('Intermediate'), notAfter };
    const expired = parseCertificate(await forgeCertificate(root.forger, intermediate.spki, parts));
    expect(pick(leaf, expired, intermediate.certificate)).toEqual([leaf, intermediate.certificate]);
    expect(pick(leaf, expired)).toEqual([leaf, expired]);
  });

  test('rejects certificates for other keys', () => {
    expect(() => pick(intermediate.certificate, root.certificate)).toThrow(/no certificate for the key/);
  });
});

/** A CA that may have issued each other one by its name, with a key and a signature of noise. */
async function lookAlike(bits: number, exponent: bigint): Promise<Certificate> {
  const noise = Buffer.concat([Buffer.of(0xff), randomBytes(bits / 8 - 2), Buffer.of(1)]);
  const modulus = encodeInteger(BigInt(`0x${noise.toString('hex')}`));
  const keyOctets = encodeBitOctets(encodeSequence(modulus, encodeInteger(exponent)));
  const spki = encodeSequence(encodeSequence(encodeOid(oid.rsaEncryption), Buffer.of(5, 0)), keyOctets);
  const parts = authorityParts('Look-alike');
  const noIdentifiers = { subjectKeyIdentifier: undefined, authorityKeyIdentifier: undefined };
  const forger = { ...root.forger, name: encodeName({ commonName: 'Look-alike' }) };
  const der = await forgeCertificate(forger, spki, {
    ...parts,
    algorithm: encodeSequence(encodeOid('1.2.840.113549.1.1.11'), Buffer.of(5, 0)),
    signature: encodeBitOctets(Buffer.concat([Buffer.of(0), noise.subarray(1)])),
    extensions: { ...parts.extensions, ...noIdentifiers },
  });
  return parseCertificate(der);
}

describe('checkChain', () => {
  const reasonOf = (
    candidate: Certificate,
    others: Certificate[],
    roots: Certificate[],
    at = now,
  ): string => {
    const result = checkChain(candidate, others, roots, at);
    return result.ok ? 'ok' : result.reason;
  };

  test('finds the path, leaf first, with the root separate', () => {
    const result = checkChain(leaf, [intermediate.certificate], [root.certificate], now);
    expect(result).toEqual({ ok: true, chain: [leaf, intermediate.certificate], root: root.certificate });
  });

  test('selects the right one of several issuers, roots and unrelated certificates', async () => {
    const nameSake = await makeAuthority('Intermediate', root);
    const stranger = await makeAuthority('Stranger');
    const others = [stranger.certificate, nameSake.certificate, intermediate.certificate, leaf];
    expect(reasonOf(leaf, others, [stranger.certificate, root.certificate])).toBe('ok');
  });

  test('a root is its own path', () => {
    expect(reasonOf(root.certificate, [], [root.certificate])).toBe('ok');
  });

  test('names the missing certificate', async () => {
    const stranger = await makeAuthority('Stranger');
    expect(reasonOf(leaf, [], [root.certificate])).toBe('no issuer is known for "CN=leaf.test"');
    expect(reasonOf(leaf, [intermediate.certificate], [stranger.certificate])).toBe(
      'no issuer is known for "CN=Intermediate"',
    );
    expect(reasonOf(leaf, [intermediate.certificate], [])).toBe('no issuer is known for "CN=Intermediate"');
  });

  test.each([
    ['the first second', '2026-01-01T00:00:00Z', 'ok'],
    [
      'a millisecond before it',
      '2025-12-31T23:59:59.999Z',
      '"CN=leaf.test" is not valid before 2026-01-01T00:00:00.000Z',
    ],
    ['the end of the last second', '2026-12-31T23:59:59.999Z', 'ok'],
    [
      'a millisecond after it',
      '2027-01-01T00:00:00.000Z',
      '"CN=leaf.test" expired at 2026-12-31T23:59:59.000Z',
    ],
  ])('validity at %s', (_, instant, reason) => {
    expect(reasonOf(leaf, [intermediate.certificate], [root.certificate], new Date(instant))).toBe(reason);
  });

  test('an expired authority breaks the chain', async () => {
    const notAfter = encodeTime(new Date('2026-05-01T00:00:00Z'));
    const expired = await makeAuthority('Expired', root, { notAfter });
    const reason = '"CN=Expired" expired at 2026-05-01T00:00:00.000Z';
    expect(reasonOf(await makeLeaf(expired), [expired.certificate], [root.certificate])).toBe(reason);
    expect(reasonOf(await makeLeaf(expired), [], [expired.certificate])).toBe(reason);
  });

  test('accepts a path of the permitted length, and rejects a longer one', async () => {
    const narrow = await makeAuthority('Narrow', root, {}, 0);
    const below = await makeAuthority('Below', narrow);
    expect(reasonOf(await makeLeaf(narrow), [narrow.certificate], [root.certificate])).toBe('ok');
    expect(reasonOf(await makeLeaf(below), [below.certificate, narrow.certificate], [root.certificate])).toBe(
      '"CN=Narrow" allows only 0 further authorities below it',
    );
  });

  test('does not count authorities that one issued for itself in the length of a path', async () => {
    const narrow = await makeAuthority('Narrow', root, {}, 0);
    const rolledOver = await makeAuthority('Narrow', narrow);
    const below = await makeAuthority('Below', rolledOver);
    const others = [rolledOver.certificate, narrow.certificate];
    expect(reasonOf(await makeLeaf(rolledOver), others, [root.certificate])).toBe('ok');
    expect(reasonOf(await makeLeaf(below), [below.certificate, ...others], [root.certificate])).toBe(
      '"CN=Narrow" allows only 0 further authorities below it',
    );
  });

  describe('rejects what TLS clients reject', () => {
    const further = (dotted: string, value: Buffer, critical = true): CertificateParts => ({
      furtherExtensions: [encodeExtension({ oid: dotted, critical, value })],
    });
    const constraints = (dnsName: string) =>
      further(oid.nameConstraints, encodePermittedNames({ dnsNames: [dnsName], cidrs: [] }));
    const purposes = (...dotted: string[]) =>
      further(oid.extendedKeyUsage, encodeSequence(...dotted.map(encodeOid)), false);
    const serverAuth = '1.3.6.1.5.5.7.3.1';
    const clientAuth = '1.3.6.1.5.5.7.3.2';

    test.each<[string, CertificateParts, CertificateParts, CertificateParts, string | RegExp]>([
      ['names that the root permits', constraints('test'), {}, {}, 'ok'],
      ['names that the intermediate permits', {}, constraints('leaf.test'), {}, 'ok'],
      [
        'names outside of the root',
        constraints('corp.test'),
        {},
        {},
        /"CN=leaf.test": its issuer is not allowed/,
      ],
      ['names outside of the intermediate', {}, constraints('corp.test'), {}, /only for corp.test/],
      ['a leaf for servers', {}, {}, purposes(serverAuth, clientAuth), 'ok'],
      ['a leaf for any purpose', {}, {}, purposes('2.5.29.37.0'), 'ok'],
      ['a leaf for clients alone', {}, {}, purposes(clientAuth), /"CN=leaf.test" is not for TLS servers/],
      [
        'an intermediate for clients alone',
        {},
        purposes(clientAuth),
        {},
        /"CN=Below" is not for TLS servers/,
      ],
      ['an unknown extension', {}, {}, further('1.2.3.4', Buffer.of(5, 0), false), 'ok'],
      [
        'an unknown critical extension',
        {},
        {},
        further('1.2.3.4', Buffer.of(5, 0)),
        /critical extension 1.2.3.4/,
      ],
      ['one in the intermediate', {}, further('1.2.3.4', Buffer.of(5, 0)), {}, /"CN=Below" has the critical/],
      ['constraints that cannot be read', {}, further(oid.nameConstraints, Buffer.of(5, 0)), {}, /malformed/],
    ])('%s', async (_, rootParts, middleParts, leafParts, expected) => {
      const top = await makeAuthority('Top', undefined, rootParts);
      const below = await makeAuthority('Below', top, middleParts);
      const reason = reasonOf(await makeLeaf(below, leafParts), [below.certificate], [top.certificate]);
      expect(reason).toMatch(expected);
    });
  });

  test('rejects authorities that sign each other', async () => {
    const one = await makeAuthority('One');
    const other = await makeAuthority('Other', one);
    const back = parseCertificate(await forgeCertificate(other.forger, one.spki, authorityParts('One')));
    expect(reasonOf(await makeLeaf(one), [other.certificate, back], [root.certificate])).toMatch(
      /no issuer is known/,
    );
  });

  test('rejects a very large number of certificates immediately', () => {
    const crowd = new Array<Certificate>(17).fill(intermediate.certificate);
    expect(reasonOf(leaf, crowd, [root.certificate])).toBe('there are too many certificates');
  });
});
