import { generateKeyPairSync } from 'node:crypto';
import { buildCsr } from '../src/csrs/build-csr.js';
import { csrLabels, parsePem } from '../src/der/pem.js';
import { generateKeyPair, type KeyKind } from '../src/keys/keys.js';
import { loadX509 } from '../src/keys/webcrypto.js';
import { hasOpenssl, OpensslFolder } from './openssl.js';

/** A request with what it is: `verdict` is `ok` or the code of the refusal by its signature. */
export interface Specimen {
  readonly name: string;
  readonly der: Buffer;
  readonly verdict: 'ok' | 'unsupported_algorithm';
  readonly signatureAlgorithm: string;
  readonly publicKey: string;
}

const subject = '/C=LV/O=Oak \\+ Sons/OU=a+CN=corpus.test/emailAddress=m@corpus.test';
const names =
  'subjectAltName=DNS:corpus.test,DNS:*.corpus.test,IP:10.0.0.1,IP:2001:db8::1,email:m@corpus.test,URI:https://corpus.test/';

type Row = readonly [
  name: string,
  key: readonly string[],
  request: readonly string[],
  algorithm: string,
  publicKey: string,
];

const rsa2048 = ['genpkey', '-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048'];
const ec = (curve: string, ...options: string[]): string[] => [
  'genpkey',
  '-algorithm',
  'EC',
  '-pkeyopt',
  `ec_paramgen_curve:${curve}`,
  ...options,
];
const pss = (salt: string): string[] => [
  '-sigopt',
  'rsa_padding_mode:pss',
  '-sigopt',
  `rsa_pss_saltlen:${salt}`,
];

const opensslRows: readonly Row[] = [
  ...['sha1', 'sha224', 'sha256', 'sha384', 'sha512'].map(
    (hash): Row => [`RSA ${hash}`, rsa2048, [`-${hash}`], `${hash}WithRSAEncryption`, 'RSA 2048'],
  ),
  ['RSA sha512-256', rsa2048, ['-sha512-256'], 'sha512-256WithRSAEncryption', 'RSA 2048'],
  ['RSA sha3-256', rsa2048, ['-sha3-256'], 'RSA-SHA3-256', 'RSA 2048'],
  [
    'RSA 1024',
    ['genpkey', '-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:1024'],
    [],
    'sha256WithRSAEncryption',
    'RSA 1024',
  ],
  [
    'RSA exponent 3',
    [...rsa2048, '-pkeyopt', 'rsa_keygen_pubexp:3'],
    [],
    'sha256WithRSAEncryption',
    'RSA 2048',
  ],
  ['PSS by an RSA key', rsa2048, ['-sha256', ...pss('32')], 'rsassaPss', 'RSA 2048'],
  ['PSS without salt', rsa2048, ['-sha384', ...pss('0')], 'rsassaPss', 'RSA 2048'],
  ['PSS with SHA-1 and the default salt', rsa2048, ['-sha1', ...pss('20')], 'rsassaPss', 'RSA 2048'],
  [
    'PSS by a PSS key',
    ['genpkey', '-algorithm', 'RSA-PSS', '-pkeyopt', 'rsa_keygen_bits:2048'],
    ['-sha256'],
    'rsassaPss',
    'RSA-PSS 2048',
  ],
  [
    'PSS by a restricted PSS key',
    [
      'genpkey',
      '-algorithm',
      'RSA-PSS',
      '-pkeyopt',
      'rsa_keygen_bits:2048',
      '-pkeyopt',
      'rsa_pss_keygen_md:sha512',
      '-pkeyopt',
      'rsa_pss_keygen_mgf1_md:sha512',
      '-pkeyopt',
      'rsa_pss_keygen_saltlen:64',
    ],
    ['-sha512'],
    'rsassaPss',
    'RSA-PSS 2048',
  ],
  ['P-256', ec('P-256'), ['-sha256'], 'ecdsa-with-SHA256', 'ECDSA 256 P-256'],
  ['P-256 sha1', ec('P-256'), ['-sha1'], 'ecdsa-with-SHA1', 'ECDSA 256 P-256'],
  ['P-256 sha3-512', ec('P-256'), ['-sha3-512'], 'ecdsa_with_SHA3-512', 'ECDSA 256 P-256'],
  ['P-384', ec('P-384'), ['-sha384'], 'ecdsa-with-SHA384', 'ECDSA 384 P-384'],
  ['P-521', ec('P-521'), ['-sha512'], 'ecdsa-with-SHA512', 'ECDSA 521 P-521'],
  ['P-224', ec('secp224r1'), ['-sha224'], 'ecdsa-with-SHA224', 'ECDSA 224 P-224'],
  ['secp256k1', ec('secp256k1'), ['-sha256'], 'ecdsa-with-SHA256', 'ECDSA 256 secp256k1'],
  ['brainpoolP256r1', ec('brainpoolP256r1'), ['-sha256'], 'ecdsa-with-SHA256', 'ECDSA 256 brainpoolP256r1'],
  ['brainpoolP512r1', ec('brainpoolP512r1'), ['-sha512'], 'ecdsa-with-SHA512', 'ECDSA 512 brainpoolP512r1'],
  ['Ed25519', ['genpkey', '-algorithm', 'ED25519'], [], 'ED25519', 'Ed25519 256'],
  ['Ed448', ['genpkey', '-algorithm', 'ED448'], [], 'ED448', 'Ed448 456'],
];

const refusedRows: readonly Row[] = [
  ['RSA md5', rsa2048, ['-md5'], 'md5WithRSAEncryption', 'RSA 2048'],
  [
    'an explicit curve',
    ec('P-256', '-pkeyopt', 'ec_param_enc:explicit'),
    ['-sha256'],
    'ecdsa-with-SHA256',
    'ECDSA 256 explicit',
  ],
  ['a binary curve', ec('sect283k1'), ['-sha256'], 'ecdsa-with-SHA256', 'ECDSA 288 1.3.132.0.16'],
];

/** Requests of every kind this machine can make: by our builder, by Node's keys, by @peculiar/x509, by OpenSSL. */
export async function makeCorpus(): Promise<Specimen[]> {
  return [
    ...(await ownSpecimens()),
    ...(await peculiarSpecimens()),
    ...(hasOpenssl ? opensslSpecimens() : []),
  ];
}

async function ownSpecimens(): Promise<Specimen[]> {
  const rows: [KeyKind, string, string][] = [
    ['P-256', 'ecdsa-with-SHA256', 'ECDSA 256 P-256'],
    ['RSA-2048', 'sha256WithRSAEncryption', 'RSA 2048'],
    ['Ed25519', 'ED25519', 'Ed25519 256'],
  ];
  const made = rows.map(async ([kind, signatureAlgorithm, publicKey]): Promise<Specimen> => {
    const { privateKey } = await generateKeyPair(kind);
    const { der } = await buildCsr({ privateKey, dnsNames: ['corpus.test'] });
    return { name: `own ${kind}`, der, verdict: 'ok', signatureAlgorithm, publicKey };
  });
  return Promise.all([...made, ownBrainpool()]);
}

async function ownBrainpool(): Promise<Specimen> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'brainpoolP256r1' });
  const { der } = await buildCsr({ privateKey, dnsNames: ['corpus.test'] });
  const publicKey = 'ECDSA 256 brainpoolP256r1';
  return {
    name: 'own brainpoolP256r1',
    der,
    verdict: 'ok',
    signatureAlgorithm: 'ecdsa-with-SHA256',
    publicKey,
  };
}

async function peculiarSpecimens(): Promise<Specimen[]> {
  const x509 = await loadX509();
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: 'CN=corpus.test, O=Oak',
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: 'corpus.test' }]),
    ],
    attributes: [new x509.ChallengePasswordAttribute('password')],
  });
  return [
    {
      name: '@peculiar/x509',
      der: Buffer.from(request.rawData),
      verdict: 'ok',
      signatureAlgorithm: 'ecdsa-with-SHA256',
      publicKey: 'ECDSA 256 P-256',
    },
  ];
}

function opensslSpecimens(): Specimen[] {
  const folder = new OpensslFolder();
  try {
    const accepted = opensslRows.map((row) => opensslSpecimen(folder, row, 'ok'));
    const refused = refusedRows.map((row) => opensslSpecimen(folder, row, 'unsupported_algorithm'));
    return [...accepted, ...refused];
  } finally {
    folder.close();
  }
}

function opensslSpecimen(folder: OpensslFolder, row: Row, verdict: Specimen['verdict']): Specimen {
  const [name, key, request, signatureAlgorithm, publicKey] = row;
  // One key serves all rows that ask for the same: finding RSA primes is what takes the time.
  const keyFile = `${key.join('_').replaceAll(/[^\w-]/g, '_')}.pem`;
  if (!folder.has(keyFile)) folder.run(...key, '-out', keyFile);
  const pem = folder.run(
    'req',
    '-new',
    '-key',
    keyFile,
    '-multivalue-rdn',
    '-subj',
    subject,
    '-addext',
    names,
    ...request,
  );
  return { name: `openssl ${name}`, der: parsePem(pem, csrLabels), verdict, signatureAlgorithm, publicKey };
}
