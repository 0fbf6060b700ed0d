import { InvalidInput } from '@certloop/contracts';
import { excessMs } from '@certloop/contracts/testing';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { encodeExtension } from '../src/certificates/extensions.js';
import { lintCsr, lintCsrText } from '../src/csr-lint/lint-csr.js';
import { buildCsr } from '../src/csrs/build-csr.js';
import { parseCsr, verifyCsr } from '../src/csrs/csr.js';
import { describeCsr } from '../src/csrs/csr-description.js';
import { contextConstructed, tag } from '../src/der/der.js';
import { encode, encodeOctetString, encodeOid, encodeSequence, encodeSetOf } from '../src/der/der-writer.js';
import { oid } from '../src/der/oids.js';
import { csrLabels, formatPem } from '../src/der/pem.js';
import { generateKeyPair } from '../src/keys/keys.js';
import { loadX509 } from '../src/keys/webcrypto.js';
import { makeCorpus, type Specimen } from './csr-corpus.js';
import { forgeCsr, forgeRequest } from './forge.js';

let corpus: Specimen[];
beforeAll(async () => {
  corpus = await makeCorpus();
});

/** `ok`, or the code of the refusal; anything but an InvalidInput is a failure of the test. */
async function verdictOf(der: Buffer): Promise<string> {
  try {
    const csr = parseCsr(der);
    describeCsr(csr);
    const result = await verifyCsr(csr);
    lintCsr(csr, { profile: 'acme', fqdn: 'corpus.test' }, result);
    return result.ok ? 'ok' : result.code;
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidInput);
    return 'malformed';
  }
}

/** What @peculiar/x509 with the larger engine says: whether the signature holds, or that it is unable to judge it. */
async function peculiarVerdictOf(der: Buffer): Promise<boolean | 'unable to judge'> {
  const x509 = await loadX509();
  const { Crypto } = await import('@peculiar/webcrypto');
  try {
    return await new x509.Pkcs10CertificateRequest(new Uint8Array(der)).verify(new Crypto());
  } catch {
    return 'unable to judge';
  }
}

test('accepts, rejects and describes each CSR of the corpus as expected', async () => {
  const found = await Promise.all(
    corpus.map(async ({ name, der }) => {
      const { publicKeyAlgorithm, keySize, curve, signatureAlgorithm } = describeCsr(parseCsr(der));
      const publicKey = [publicKeyAlgorithm, keySize, ...(curve === undefined ? [] : [curve])].join(' ');
      return { name, verdict: await verdictOf(der), signatureAlgorithm, publicKey };
    }),
  );
  expect(found).toEqual(corpus.map(({ der: _, ...specimen }) => specimen));
});

test('reads names of every kind', () => {
  for (const { name, der } of corpus.filter((specimen) => specimen.name.startsWith('openssl'))) {
    expect({ name, ...describeCsr(parseCsr(der)) }).toMatchObject({
      name,
      subject: 'emailAddress=m@corpus.test,OU=a+CN=corpus.test,O=Oak \\+ Sons,C=LV',
      commonNames: ['corpus.test'],
      dnsNames: ['corpus.test', '*.corpus.test'],
      ipAddresses: ['10.0.0.1', '2001:db8::1'],
      emailAddresses: ['m@corpus.test'],
      uris: ['https://corpus.test/'],
    });
  }
});

test('no result contradicts that of @peculiar/x509', async () => {
  for (const { name, der, verdict } of corpus) {
    const other = await peculiarVerdictOf(der);
    const agree = other === 'unable to judge' || other === (verdict === 'ok') || verdict !== 'ok';
    expect({ name, other, agree }).toEqual({ name, other, agree: true });
  }
});

describe('mutations', () => {
  const small = (): Specimen[] => corpus.filter(({ name }) => name.startsWith('own') || name.startsWith('@'));

  test('rejects every truncated request', async () => {
    for (const { der } of small()) {
      for (let length = 0; length < der.length; length += 1) {
        expect(() => parseCsr(der.subarray(0, length))).toThrow(InvalidInput);
      }
    }
  });

  test('rejects a request with an extra byte before or after it', async () => {
    for (const { der } of corpus) {
      expect(() => parseCsr(Buffer.concat([der, Buffer.of(0)]))).toThrow(InvalidInput);
      expect(() => parseCsr(Buffer.concat([der, der]))).toThrow(InvalidInput);
      expect(() => parseCsr(Buffer.concat([Buffer.of(0), der]))).toThrow(InvalidInput);
    }
  });

  test('rejects a request with any single bit changed', async () => {
    for (const { name, der } of corpus) {
      // Every fifth bit of a few, every 43rd of the rest: all positions of an octet come up in turn.
      const step = name.startsWith('own') ? 5 : 43;
      for (let bit = 0; bit < der.length * 8; bit += step) {
        const changed = Buffer.from(der);
        changed.writeUInt8((changed[bit >> 3] ?? 0) ^ (0x80 >> (bit & 7)), bit >> 3);
        const verdict = await verdictOf(changed);
        if (verdict === 'ok') throw new Error(`${name} survives a change of bit ${bit}`);
      }
    }
  });

  test('throws only InvalidInput for any damaged request', async () => {
    const edits = fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(255), fc.nat(2)), {
      minLength: 1,
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(fc.nat(1000), edits, async (index, list) => {
        let octets = [...(corpus[index % corpus.length]?.der ?? [])];
        for (const [place, octet, kind] of list) {
          const at = Math.floor(place * octets.length);
          octets = octets.toSpliced(at, kind === 0 ? 0 : 1, ...(kind === 1 ? [] : [octet]));
        }
        const damaged = Buffer.from(octets);
        const verdict = await verdictOf(damaged);
        // whatever the octets are, the linter has findings and does not throw
        const lint = await lintCsrText(formatPem(csrLabels[0], damaged), { profile: 'private' });
        if (verdict !== 'ok') expect(lint.verdict).toBe('refused');
      }),
      { numRuns: 1500 },
    );
  });
});

describe('requests that are built to be expensive', () => {
  const attributes = (extension: Buffer): Buffer[] => [
    encode(contextConstructed(0), forgeRequest([extension])),
  ];
  const repeat = (part: Buffer, times: number): Buffer => Buffer.concat(new Array<Buffer>(times).fill(part));
  const names = (list: Buffer): Buffer =>
    encodeExtension({ oid: oid.subjectAltName, critical: false, value: encodeSequence(list) });
  const relativeName = encodeSetOf(
    encodeSequence(encodeOid('2.5.4.3'), encode(tag.utf8String, Buffer.from('a'))),
  );
  const directoryName = encode(0xa4, encodeSequence(repeat(relativeName, 2)));

  function nested(depth: number): Buffer {
    let der: Buffer = Buffer.alloc(0);
    for (let level = 0; level < depth; level += 1) der = encode(0xa0, der);
    return der;
  }

  test.each([
    ['2,000 parts of a subject', { subject: encodeSequence(repeat(relativeName, 2000)) }],
    ['4,000 host names', { tail: attributes(names(repeat(encode(0x82, Buffer.from('a.b.test')), 4000))) }],
    ['9,900 empty host names', { tail: attributes(names(repeat(encode(0x82), 9900))) }],
    ['1,000 directory names', { tail: attributes(names(repeat(directoryName, 1000))) }],
    [
      'a name that is one huge text',
      {
        subject: encodeSequence(
          encodeSetOf(
            encodeSequence(encodeOid('2.5.4.3'), encode(tag.utf8String, Buffer.alloc(60_000, ','))),
          ),
        ),
      },
    ],
    ['a depth bomb', { tail: [nested(9000)] }],
    [
      '1,500 extensions',
      {
        tail: [
          encode(
            contextConstructed(0),
            forgeRequest(
              Array.from({ length: 1500 }, (_, i) =>
                encodeExtension({
                  oid: `1.2.${i}`,
                  critical: false,
                  value: encodeOctetString(Buffer.alloc(4)),
                }),
              ),
            ),
          ),
        ],
      },
    ],
    [
      'an RSA modulus of 400,000 bits',
      {
        spki: encodeSequence(
          encodeSequence(encodeOid(oid.rsaEncryption)),
          encode(
            tag.bitString,
            Buffer.of(0),
            encodeSequence(
              encode(tag.integer, Buffer.alloc(50_000, 0x7f)),
              encode(tag.integer, Buffer.of(3)),
            ),
          ),
        ),
      },
    ],
  ])('%s take less than 50 calibrated ms', async (_, parts) => {
    const { privateKey } = await generateKeyPair('P-256');
    const der = await forgeCsr(privateKey, parts);
    const measure = async () => {
      const before = process.cpuUsage();
      await verdictOf(der);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    };
    expect(await excessMs(50, measure)).toBeUndefined();
  });

  test('accepts a request with a thousand names', async () => {
    const { privateKey } = await generateKeyPair('P-256');
    const dnsNames = Array.from({ length: 1000 }, (_, index) => `host-${index}.corpus.test`);
    const { der } = await buildCsr({ privateKey, dnsNames });
    expect(await verdictOf(der)).toBe('ok');
    expect(describeCsr(parseCsr(der)).dnsNames).toEqual(dnsNames);
  });
});
