import { createHash, X509Certificate } from 'node:crypto';
import { InvalidInput } from '@certloop/contracts';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Certificate, parseCertificate } from '../src/certificates/certificate.js';
import { describeCertificate } from '../src/certificates/certificate-description.js';
import type { IssueRequest } from '../src/certificates/certificate-profile.js';
import { checkChain } from '../src/certificates/chain.js';
import { issueCertificate } from '../src/certificates/issue.js';
import { createIssuer, type Issuer, loadIssuer } from '../src/certificates/issuer.js';
import type { RootKeyKind } from '../src/certificates/root.js';
import type { Csr } from '../src/csrs/csr.js';
import { parseDer, tag } from '../src/der/der.js';
import { encode, encodeOid, encodeSequence, encodeSetOf } from '../src/der/der-writer.js';
import { formatPem } from '../src/der/pem.js';
import { exportSpki, generateKeyPair, type KeyKind } from '../src/keys/keys.js';
import { lintCertificate } from '../src/lint/lint.js';
import { encodeGeneralNames } from '../src/names/general-names.js';
import { encodeName } from '../src/names/names.js';
import { days, makeCsr, makeIssuer, now, requestFor } from './issuing.js';
import { hasOpenssl, OpensslFolder } from './openssl.js';

let issuer: Issuer;
let csr: Csr;
beforeAll(async () => {
  issuer = await makeIssuer('P-256');
  csr = await makeCsr('P-256', 'leaf.test');
});

const issue = (request: Partial<IssueRequest> = {}): Promise<Buffer> =>
  issueCertificate(issuer, { ...requestFor(csr), ...request });

/** OpenSSL's strict verdict on the leaf, `OK` or its complaint. */
function opensslVerdict(rootDer: Buffer, leafDer: Buffer): string {
  const folder = new OpensslFolder();
  try {
    folder.write('root.pem', formatPem('CERTIFICATE', rootDer));
    folder.write('leaf.pem', formatPem('CERTIFICATE', leafDer));
    const verdict = folder.run(
      'verify',
      '-x509_strict',
      '-check_ss_sig',
      '-purpose',
      'sslserver',
      '-CAfile',
      'root.pem',
      '-verify_hostname',
      'leaf.test',
      'leaf.pem',
    );
    return verdict.replace('leaf.pem: ', '').trim();
  } finally {
    folder.close();
  }
}

describe('certificates of every kind of root for every kind of key', () => {
  const rootKinds: RootKeyKind[] = ['P-256', 'P-384', 'P-521', 'RSA-2048', 'Ed25519'];
  const leafKinds: KeyKind[] = ['P-256', 'P-521', 'RSA-2048', 'Ed25519', 'Ed448', 'secp256k1'];

  test.each(rootKinds)('%s', async (rootKind) => {
    const root = await makeIssuer(rootKind);
    expect(lintCertificate(root.certificate.der, root.certificate.der)).toEqual([]);
    for (const leafKind of leafKinds) {
      const request = requestFor(await makeCsr(leafKind));
      const der = await issueCertificate(root, request);
      const leaf = parseCertificate(der);
      expect({ leafKind, faults: lintCertificate(der, root.certificate.der) }).toEqual({
        leafKind,
        faults: [],
      });
      expect(checkChain(leaf, [], [root.certificate], now)).toMatchObject({ ok: true });
      expect(leaf.spkiDer).toEqual(request.spkiDer);
      expect(new X509Certificate(der).verify(new X509Certificate(root.certificate.der).publicKey)).toBe(true);
      if (hasOpenssl) expect(opensslVerdict(root.certificate.der, der)).toBe('OK');
    }
  });
});

describe('the profile', () => {
  const valueFor = (certificate: Certificate, dotted: string) => {
    const found = certificate.extensions.find((extension) => extension.oid === dotted);
    return found && { critical: found.critical, value: found.value.toString('hex') };
  };

  test('is that of RFC 5280, byte by byte', async () => {
    const leaf = parseCertificate(await issue());
    const ski = createHash('sha1').update(csr.publicKey.keyOctets).digest('hex');
    expect(leaf.version).toBe(3);
    expect(leaf.extensions.map((extension) => extension.oid)).toEqual([
      '2.5.29.19',
      '2.5.29.15',
      '2.5.29.37',
      '2.5.29.14',
      '2.5.29.35',
      '2.5.29.17',
    ]);
    expect(valueFor(leaf, '2.5.29.19')).toEqual({ critical: true, value: '3000' });
    expect(valueFor(leaf, '2.5.29.15')).toEqual({ critical: true, value: '03020780' });
    expect(valueFor(leaf, '2.5.29.37')).toEqual({
      critical: false,
      value: '301406082b0601050507030106082b06010505070302',
    });
    expect(valueFor(leaf, '2.5.29.14')).toEqual({ critical: false, value: `0414${ski}` });
    const aki = issuer.certificate.subjectKeyIdentifier?.toString('hex');
    expect(valueFor(leaf, '2.5.29.35')).toEqual({ critical: false, value: `30168014${aki}` });
    expect(valueFor(leaf, '2.5.29.17')).toEqual({
      critical: false,
      value: csr.subjectAltNameDer?.toString('hex'),
    });
  });

  test('permits RSA keys to encrypt keys', async () => {
    const leaf = parseCertificate(await issueCertificate(issuer, requestFor(await makeCsr('RSA-2048'))));
    expect(valueFor(leaf, '2.5.29.15')).toEqual({ critical: true, value: '030205a0' });
  });

  test('marks the subjectAltName as critical when there is no subject', async () => {
    const leaf = parseCertificate(await issue({ subjectDer: encodeSequence() }));
    expect(valueFor(leaf, '2.5.29.17')?.critical).toBe(true);
  });

  test('accepts other purposes, by name or number, and no purpose', async () => {
    const purposes = async (extendedKeyUsage: string[]) =>
      describeCertificate(parseCertificate(await issue({ extendedKeyUsage }))).extensions.find(
        (extension) => extension.name === 'extendedKeyUsage',
      )?.purposes;
    expect(await purposes(['codeSigning', '1.2.3.4'])).toEqual(['Code Signing', '1.2.3.4']);
    expect(await purposes([])).toBeUndefined();
    await expect(purposes(['nonsense'])).rejects.toThrow(InvalidInput);
  });

  test('accepts names to encode, and additional extensions', async () => {
    const extension = { oid: '1.3.6.1.5.5.7.1.24', critical: false, value: Buffer.from('3003020105', 'hex') };
    const der = await issue({
      subjectAltNameDer: undefined,
      subjectAltNames: { dnsNames: ['other.test'] },
      extensions: [extension],
    });
    expect(parseCertificate(der).subjectAltNames.dnsNames).toEqual(['other.test']);
    expect(parseCertificate(der).extensions.at(-1)).toEqual(extension);
    expect(lintCertificate(der, issuer.certificate.der)).toEqual([]);
  });

  test('issues an authority that can issue certificates', async () => {
    const { privateKey } = await generateKeyPair('P-256');
    const certificateDer = await issue({
      subjectDer: encodeName({ commonName: 'Intermediate' }),
      spkiDer: exportSpki(privateKey),
      subjectAltNameDer: undefined,
      authority: { pathLength: 0 },
    });
    expect(lintCertificate(certificateDer, issuer.certificate.der)).toEqual([]);
    const intermediate = createIssuer({ certificateDer, privateKey });
    const der = await issueCertificate(intermediate, { ...requestFor(csr), notAfter: days(300) });
    const checked = checkChain(parseCertificate(der), [intermediate.certificate], [issuer.certificate], now);
    expect(checked).toMatchObject({ ok: true });
  });
});

describe('copied values', () => {
  const attribute = (stringType: number, content: Buffer): Buffer =>
    encodeSetOf(encodeSequence(encodeOid('2.5.4.3'), encode(stringType, content)));

  test.each([
    ['PrintableString', encodeSequence(attribute(tag.printableString, Buffer.from('leaf')))],
    ['UTF8String', encodeSequence(attribute(tag.utf8String, Buffer.from('žagari')))],
    ['TeletexString', encodeSequence(attribute(tag.teletexString, Buffer.of(0xe9)))],
    ['BMPString', encodeSequence(attribute(tag.bmpString, Buffer.from('017d', 'hex')))],
    ['an empty part', encodeSequence(encodeSetOf(), attribute(tag.utf8String, Buffer.from('a')))],
    ['several parts', Buffer.concat([encodeName({ country: 'LV', organization: 'a', commonName: 'b' })])],
  ])('copies a subject in %s byte for byte', async (_, subjectDer) => {
    expect(parseCertificate(await issue({ subjectDer })).subjectDer).toEqual(subjectDer);
  });

  test('copies names in any order and of any kind byte for byte', async () => {
    const subjectAltNameDer = encodeSequence(
      encode(0x86, Buffer.from('urn:a')),
      encode(0xa0, encodeOid('1.2.3'), encode(0xa0, encode(tag.utf8String, Buffer.from('x')))),
      encode(0x82, Buffer.from('LEAF.test')),
      encode(0x82, Buffer.from('LEAF.test')),
    );
    expect(parseCertificate(await issue({ subjectAltNameDer })).subjectAltNameDer).toEqual(subjectAltNameDer);
  });
});

describe('copies the issuer name from the authority byte for byte', () => {
  // A name that reads the same but is encoded otherwise passes OpenSSL, yet breaks the chain for Go and GnuTLS.
  test.each([
    ['UTF8String', tag.utf8String],
    ['PrintableString', tag.printableString],
    ['TeletexString', tag.teletexString],
  ])('%s', async (_, stringType) => {
    const name = encodeSequence(
      encodeSetOf(encodeSequence(encodeOid('2.5.4.3'), encode(stringType, Buffer.from('Foreign Root')))),
    );
    const { privateKey } = await generateKeyPair('P-256');
    const certificateDer = await issue({
      subjectDer: name,
      spkiDer: exportSpki(privateKey),
      subjectAltNameDer: undefined,
      authority: {},
    });
    const der = await issueCertificate(createIssuer({ certificateDer, privateKey }), {
      ...requestFor(csr),
      notAfter: days(300),
    });
    expect(parseCertificate(der).issuerDer).toEqual(name);
    expect(lintCertificate(der, certificateDer)).toEqual([]);
  });

  const withOpenssl = hasOpenssl ? test : test.skip;
  withOpenssl('for roots that OpenSSL made', async () => {
    const folder = new OpensslFolder();
    try {
      for (const mask of ['utf8only', 'default']) {
        folder.write('root.cnf', `[req]\ndistinguished_name=dn\nstring_mask=${mask}\n[dn]\n`);
        const make =
          '-new -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key.pem -days 700';
        const subject = '/C=LV/O=Oak/CN=Made elsewhere';
        folder.run(
          'req',
          ...make.split(' '),
          '-config',
          'root.cnf',
          '-subj',
          subject,
          '-out',
          'root.pem',
          '-addext',
          'basicConstraints=critical,CA:TRUE',
          '-addext',
          'keyUsage=critical,keyCertSign,cRLSign',
        );
        const files = { certificatePem: folder.read('root.pem'), privateKeyPem: folder.read('key.pem') };
        const loaded = loadIssuer(files, new Date());
        const der = await issueCertificate(loaded, {
          ...requestFor(csr),
          notBefore: loaded.certificate.notBefore,
        });
        expect(parseCertificate(der).issuerDer).toEqual(loaded.certificate.subjectDer);
        expect(lintCertificate(der, loaded.certificate.der)).toEqual([]);
        expect(opensslVerdict(loaded.certificate.der, der)).toBe('OK');
      }
    } finally {
      folder.close();
    }
  });
});

describe('bounds', () => {
  test.each([
    ['the last second of UTCTime', '2049-12-31T23:59:59Z', tag.utcTime],
    ['the first second of GeneralizedTime', '2050-01-01T00:00:00Z', tag.generalizedTime],
  ])('%s', async (_, instant, identifier) => {
    const der = await issue({ notAfter: new Date(instant) });
    const validity = parseDer(der, 'certificate').children[0]?.children[4];
    expect(validity?.children[1]?.tag).toBe(identifier);
    expect(parseCertificate(der).notAfter).toEqual(new Date(instant));
  });

  test.each([
    ['1', 1n, '01'],
    ['the top bit of an octet', 0x80n, '80'],
    ['20 octets', 2n ** 159n - 1n, `7f${'ff'.repeat(19)}`],
  ])('serial number %s', async (_, serialNumber, hex) => {
    const der = await issue({ serialNumber });
    expect(parseCertificate(der).serialNumber).toBe(hex);
    expect(lintCertificate(der, issuer.certificate.der)).toEqual([]);
  });

  const refused: [string, Partial<IssueRequest>, string][] = [
    ['serial number 0', { serialNumber: 0n }, 'invalid_serial'],
    ['a negative serial number', { serialNumber: -1n }, 'invalid_serial'],
    ['a serial number of 21 octets', { serialNumber: 2n ** 159n }, 'invalid_serial'],
    ['an end before the beginning', { notAfter: days(-0.5) }, 'invalid_validity'],
    ['an invalid date', { notAfter: new Date(Number.NaN) }, 'invalid_validity'],
    ['an end after that of the issuer', { notAfter: days(36_501) }, 'validity_outside_issuer'],
    ['a beginning before that of the issuer', { notBefore: days(-2) }, 'validity_outside_issuer'],
    [
      'an extension the profile has',
      { extensions: [{ oid: '2.5.29.15', critical: true, value: Buffer.of(5, 0) }] },
      'duplicate_extension',
    ],
    ['an empty set of names', { subjectAltNameDer: undefined, subjectAltNames: {} }, 'no_names'],
  ];
  test.each(refused)('rejects %s', async (_, request, code) => {
    await expect(issue(request)).rejects.toThrow(expect.objectContaining({ code }));
  });

  test("accepts the same validity as the issuer's", async () => {
    const { notBefore, notAfter } = issuer.certificate;
    expect(lintCertificate(await issue({ notBefore, notAfter }), issuer.certificate.der)).toEqual([]);
  });
});

test('encodes names that are given as text', () => {
  const names = { dnsNames: ['a.test'], ipAddresses: ['::1'] };
  expect(encodeGeneralNames(names).toString('hex')).toBe(
    `301a8206${Buffer.from('a.test').toString('hex')}8710${'0'.repeat(31)}1`,
  );
});
