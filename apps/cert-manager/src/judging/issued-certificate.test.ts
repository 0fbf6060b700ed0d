import {
  buildCsr,
  certificateLabel,
  createIssuer,
  createRoot,
  encodeName,
  encodePermittedNames,
  exportSpki,
  fingerprint,
  formatPem,
  generateKeyPair,
  type IssueRequest,
  type Issuer,
  issueCertificate,
  parseCsr,
  splitChain,
} from '@certloop/crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { validateChain } from './acme-certificate.js';
import {
  chainToRoot,
  describeLeaf,
  differenceFromCsr,
  findChainFault,
  keyOfCsr,
  leafFacts,
  leafFault,
  readAnswered,
  readCsr,
  readIssued,
  timeFault,
} from './issued-certificate.js';

const now = new Date('2026-03-01T12:00:00.000Z');
const hour = 3_600_000;
const at = (hours: number) => new Date(now.getTime() + hours * hour);
const pemOf = (der: Buffer) => formatPem(certificateLabel, der);

let root: Issuer;
let intermediate: Issuer;
let csrPem: string;
let order: Pick<IssueRequest, 'subjectDer' | 'spkiDer' | 'subjectAltNameDer'>;

beforeAll(async () => {
  root = createIssuer(
    await createRoot({
      keyKind: 'P-256',
      subject: { commonName: 'Root' },
      notBefore: at(-1000),
      notAfter: at(10_000),
      serialNumber: 1n,
    }),
  );
  const authority = await generateKeyPair('P-256');
  const authorityCsr = parseCsr(
    (await buildCsr({ privateKey: authority.privateKey, subject: { commonName: 'Intermediate' } })).der,
  );
  const der = await issueCertificate(root, {
    serialNumber: 2n,
    subjectDer: authorityCsr.subjectDer,
    spkiDer: authorityCsr.spkiDer,
    notBefore: at(-1000),
    notAfter: at(10_000),
    authority: {},
  });
  intermediate = createIssuer({ certificateDer: der, privateKey: authority.privateKey });
  const { privateKey } = await generateKeyPair('P-256');
  const built = await buildCsr({
    privateKey,
    subject: { commonName: 'cn.example.org' },
    dnsNames: ['a.example.org', 'B.example.org'],
    ipAddresses: ['192.0.2.1'],
  });
  csrPem = built.pem;
  order = parseCsr(built.der);
});

let madeIntermediate: Issuer | undefined;

/** Another authority below the root, with the extensions. */
async function intermediateWith(extensions: NonNullable<IssueRequest['extensions']>): Promise<Issuer> {
  const { privateKey, publicKey } = await generateKeyPair('P-256');
  const certificateDer = await issueCertificate(root, {
    serialNumber: 3n,
    subjectDer: encodeName({ commonName: 'Constrained' }),
    spkiDer: exportSpki(publicKey),
    notBefore: at(-1000),
    notAfter: at(10_000),
    authority: {},
    extensions,
  });
  madeIntermediate = createIssuer({ certificateDer, privateKey });
  return madeIntermediate;
}

const issue = async (request: Partial<IssueRequest> = {}, issuer = root) =>
  pemOf(
    await issueCertificate(issuer, {
      serialNumber: 0xabcn,
      notBefore: at(-1),
      notAfter: at(24),
      subjectDer: order.subjectDer,
      spkiDer: order.spkiDer,
      ...(request.subjectAltNames === undefined && { subjectAltNameDer: order.subjectAltNameDer }),
      ...request,
    }),
  );

describe('differences of a certificate from its CSR', () => {
  test('none, when the CA copied everything', async () => {
    expect(differenceFromCsr(readIssued(await issue()), readCsr(csrPem))).toBeUndefined();
  });

  test.each([
    ['fewer names', { dnsNames: ['a.example.org'] }],
    ['names in another case', { dnsNames: ['A.EXAMPLE.org', 'b.example.org'] }],
    ['the common name among the others', { dnsNames: ['cn.example.org', 'a.example.org'] }],
  ])('none: %s', async (_, subjectAltNames) => {
    expect(differenceFromCsr(readIssued(await issue({ subjectAltNames })), readCsr(csrPem))).toBeUndefined();
  });

  test.each([
    ['a host name', { dnsNames: ['a.example.org', 'c.example.org'] }, 'c.example.org'],
    ['an address', { ipAddresses: ['192.0.2.2'] }, '192.0.2.2'],
    ['a mail address', { emailAddresses: ['a@example.org'] }, 'a@example.org'],
    ['a wildcard', { dnsNames: ['*.example.org'] }, '*.example.org'],
  ])('%s', async (_, subjectAltNames, stray) => {
    const issued = readIssued(await issue({ subjectAltNames }));
    expect(differenceFromCsr(issued, readCsr(csrPem))).toBe(
      `the certificate has a name that the CSR has not: ${stray}`,
    );
  });

  test('another key', async () => {
    const { privateKey } = await generateKeyPair('P-256');
    const { spkiDer } = parseCsr((await buildCsr({ privateKey })).der);
    expect(differenceFromCsr(readIssued(await issue({ spkiDer })), readCsr(csrPem))).toBe(
      'the certificate is for another key than the CSR',
    );
  });
});

describe('the chain of a certificate', () => {
  const rootPem = () => pemOf(root.certificate.der);

  test('is the leaf when the root signed it', async () => {
    const leaf = await issue();
    expect(chainToRoot(readIssued(leaf), rootPem(), now)).toEqual({ pem: leaf });
  });

  test('leaves out the root and puts the leaf first', async () => {
    const leaf = await issue({}, intermediate);
    const middle = pemOf(intermediate.certificate.der);
    const sent = `${rootPem()}${middle}${leaf}`;
    expect(chainToRoot(readIssued(sent), rootPem(), now)).toEqual({ pem: `${leaf}${middle}` });
  });

  test('is undefined when the intermediate is missing', async () => {
    expect(chainToRoot(readIssued(await issue({}, intermediate)), rootPem(), now)).toEqual({
      fault: 'no issuer is known for "CN=cn.example.org"',
    });
  });

  test('is still valid when the leaf has expired', async () => {
    const leaf = await issue();
    expect(chainToRoot(readIssued(leaf), rootPem(), at(48))).toEqual({ pem: leaf });
  });

  test.each([
    ['nothing', ''],
    ['text', 'certificate'],
    ['a broken block', '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n'],
  ])('cannot be read from %s', (_, text) => {
    expect(() => readIssued(text)).toThrow();
  });

  const constrained = (dnsName: string) =>
    intermediateWith([
      {
        oid: '2.5.29.30',
        critical: true,
        value: encodePermittedNames({ dnsNames: [dnsName], cidrs: ['192.0.2.0/24'] }),
      },
    ]);
  test.each<[string, () => Promise<string>, string | undefined]>([
    [
      'names that its issuer may issue for',
      async () => issue({}, await constrained('example.org')),
      undefined,
    ],
    [
      'names that its issuer may not issue for',
      async () => issue({}, await constrained('corp.test')),
      '"CN=cn.example.org": its issuer is not allowed to issue for "a.example.org", only for corp.test',
    ],
    [
      'a purpose that is not servers',
      () => issue({ extendedKeyUsage: ['clientAuth'] }),
      '"CN=cn.example.org" is not for TLS servers (its extended key usage lacks serverAuth)',
    ],
    [
      'a critical extension that is not known',
      () => issue({ extensions: [{ oid: '1.2.3.4', critical: true, value: Buffer.of(5, 0) }] }),
      '"CN=cn.example.org" has the critical extension 1.2.3.4, which clients do not know',
    ],
  ])('is judged for %s', async (_, make, fault) => {
    const leaf = await make();
    const middle = madeIntermediate === undefined ? '' : pemOf(madeIntermediate.certificate.der);
    const issued = readIssued(`${leaf}${middle}`);
    madeIntermediate = undefined;
    expect(findChainFault(issued, now)).toBe(fault);
    expect(chainToRoot(issued, rootPem(), now)).toEqual(
      fault === undefined ? { pem: `${leaf}${middle}` } : { fault },
    );
    const ordered = {
      csrPem,
      identifiers: [
        ...['a.example.org', 'b.example.org'].map((value) => ({ type: 'dns' as const, value })),
        { type: 'ip' as const, value: '192.0.2.1' },
      ],
      now,
    };
    expect(validateChain(`${leaf}${middle}`, ordered)).toEqual(
      fault === undefined
        ? { issued }
        : { fault: `TLS clients refuse the chain: ${fault}`, isChainFault: true },
    );
  });

  test.each<[string, number, string | undefined]>([
    ['valid at the end of its last second', 10_000, undefined],
    ['that expires within the leaf', 10, undefined],
    ['that expired an hour ago', -1, '"CN=Intermediate" expired at 2026-03-01T11:00:00.000Z'],
  ])('is judged for an intermediate %s', async (_, end, fault) => {
    const middle = await issueCertificate(root, {
      serialNumber: 9n,
      subjectDer: encodeName({ commonName: 'Intermediate' }),
      spkiDer: intermediate.certificate.spkiDer,
      notBefore: at(-1000),
      notAfter: at(end),
      authority: {},
    });
    const issued = readIssued(`${await issue({}, intermediate)}${pemOf(middle)}`);
    expect(findChainFault(issued, now)).toBe(fault);
    expect(chainToRoot(issued, rootPem(), now).fault).toBe(fault);
  });

  test('cannot be read from two leaves', async () => {
    const other = await issue({ serialNumber: 5n });
    const leaf = await issue();
    expect(() => readIssued(`${leaf}${other}`)).toThrow('do not form a chain');
  });
});

describe('a leaf of a CA', () => {
  test('is accepted with an issuer of another name', async () => {
    expect(leafFault(readIssued(await issue()))).toBeUndefined();
  });

  test('is refused if it is a CA', async () => {
    const issued = readIssued(await issue({ authority: {} }));
    expect(leafFault(issued)).toBe('the certificate is that of a CA');
  });

  test('is refused if it names itself as issuer, and another key signed it', async () => {
    const nameSake = createIssuer(
      await createRoot({
        keyKind: 'P-256',
        subject: { commonName: 'cn.example.org' },
        notBefore: at(-1000),
        notAfter: at(10_000),
        serialNumber: 1n,
      }),
    );
    const issued = readIssued(await issue({}, nameSake));
    expect(leafFault(issued)).toMatch(/names itself as issuer, but its signature does not verify/);
  });
});

describe('the answer of a CA', () => {
  test('is read by the key that was asked for, without what the chain does not need', async () => {
    const leaf = await issue({}, intermediate);
    const other = await issue({ spkiDer: intermediate.certificate.spkiDer });
    const middle = pemOf(intermediate.certificate.der);
    const text = `-----\nyour chain\n----------\n${other}${pemOf(root.certificate.der)}${leaf}${middle}`;
    const answered = readAnswered(text, keyOfCsr(readCsr(csrPem)), now);
    expect([answered.leaf, ...answered.others].map(({ der }) => pemOf(der))).toEqual([
      leaf,
      middle,
      pemOf(root.certificate.der),
    ]);
  });
});

describe('the times of a new certificate', () => {
  test.each([
    ['now within them', -1, 24, undefined],
    ['begins in an hour', 1, 24, undefined],
    ['begins later than in an hour', 2, 24, 'the certificate is not valid before 2026-03-01T14:00:00.000Z'],
    ['ends now', -24, 0, undefined],
    ['ended an hour ago', -24, -1, 'the certificate expired at 2026-03-01T11:00:00.000Z'],
  ])('%s', async (_, begin, end, fault) => {
    const issued = readIssued(await issue({ notBefore: at(begin), notAfter: at(end) }));
    expect(timeFault(issued, now)).toBe(fault);
  });
});

test('facts of a leaf are those of the first certificate of its chain', async () => {
  const pem = `${await issue({}, intermediate)}${pemOf(intermediate.certificate.der)}`;
  expect(describeLeaf(pem)).toEqual({
    issuer: 'CN=Intermediate',
    serialNumber: '0abc',
    spkiSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    leafSha256: fingerprint(splitChain(pem)[0] ?? Buffer.alloc(0)),
    notBefore: at(-1),
    expiresAt: at(24),
    leafExpiresAt: at(24),
    keyKind: 'ECDSA P-256',
    authoritySha256: fingerprint(intermediate.certificate.der),
  });
});

test.each([
  ['the leaf', [24, 48, 72], 24],
  ['its issuer', [24, 12, 72], 12],
  ['a CA further up', [24, 48, 6], 6],
])('a certificate expires with %s if that is the first of its chain to end', async (_, ends, first) => {
  const [leafEnd = 0, ...others] = ends;
  const leaf = readIssued(await issue({ notAfter: at(leafEnd) })).leaf;
  const links = others.map((end) => ({ ...intermediate.certificate, notAfter: at(end) }));
  const chain = [...links, { ...root.certificate, notAfter: at(1) }];
  expect(leafFacts({ leaf, others: chain })).toMatchObject({
    expiresAt: at(first),
    leafExpiresAt: at(leafEnd),
  });
});
