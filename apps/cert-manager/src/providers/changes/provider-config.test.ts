import {
  certificateLabel,
  createIssuer,
  createRoot,
  exportSpki,
  formatPem,
  generateKeyPair,
  issueCertificate,
} from '@certloop/crypto';
import { describe, expect, test } from 'vitest';
import { providerKinds } from '../provider-kinds.js';

const dummy = providerKinds['dummy-ca'].schema;
const acme = providerKinds.acme.schema;

function faultsOf(schema: typeof dummy, config: object): string[] {
  const issues = schema.safeParse(config).error?.issues ?? [];
  return issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys : [issue.path.join('.')],
  );
}

const validity = { notBefore: new Date('2026-01-01T00:00:00Z'), notAfter: new Date('2027-01-01T00:00:00Z') };
const root = await createRoot({
  keyKind: 'P-256',
  subject: { commonName: 'Root' },
  serialNumber: 1n,
  ...validity,
});
const rootPem = formatPem(certificateLabel, root.certificateDer);
const issuer = createIssuer(root);
const leafPem = formatPem(
  certificateLabel,
  await issueCertificate(issuer, {
    serialNumber: 2n,
    subjectDer: issuer.certificate.subjectDer,
    spkiDer: exportSpki((await generateKeyPair('P-256')).publicKey),
    ...validity,
  }),
);

const completeDummy = {
  baseUrl: 'http://ca.test',
  validityDays: 365,
  timeoutMs: 10_000,
  maxConcurrency: 4,
  allowPrivateNetwork: false,
};

describe('the configuration of a dummy CA', () => {
  test('keeps the root that is pinned', () => {
    expect(dummy.parse({ ...completeDummy, rootPem })).toEqual({ ...completeDummy, rootPem });
  });

  test.each([
    ['only the address', { baseUrl: 'http://ca.test/' }],
    ['null for what may be absent', { baseUrl: 'http://ca.test', validityDays: null, timeoutMs: null }],
  ])('has its defaults: %s', (_, config) => {
    expect(JSON.parse(JSON.stringify(dummy.parse(config)))).toEqual(completeDummy);
  });

  test.each([
    ['nothing', {}, ['baseUrl']],
    ['a null address', { baseUrl: null }, ['baseUrl']],
    ['a relative address', { baseUrl: 'ca.test' }, ['baseUrl']],
    ['another protocol', { baseUrl: 'ftp://ca.test' }, ['baseUrl']],
    ['credentials in the address', { baseUrl: 'http://a:b@ca.test' }, ['baseUrl']],
    ['a query', { baseUrl: 'http://ca.test/?a=b' }, ['baseUrl']],
    ['a port that no client calls', { baseUrl: 'http://ca.test:6000' }, ['baseUrl']],
    ['port 0', { baseUrl: 'https://ca.test:0/' }, ['baseUrl']],
    ['a blank in the address', { baseUrl: 'http://ca.test/a b' }, ['baseUrl']],
    ['an unknown key', { ...completeDummy, baseurl: 'x' }, ['baseurl']],
    ['an unknown key that is null', { ...completeDummy, nothing: null }, ['nothing']],
    ['validity 0', { ...completeDummy, validityDays: 0 }, ['validityDays']],
    ['validity 826', { ...completeDummy, validityDays: 826 }, ['validityDays']],
    ['validity as text', { ...completeDummy, validityDays: '365' }, ['validityDays']],
    ['half a day', { ...completeDummy, validityDays: 1.5 }, ['validityDays']],
    ['no concurrency', { ...completeDummy, maxConcurrency: 0 }, ['maxConcurrency']],
    ['a flag as text', { ...completeDummy, allowPrivateNetwork: 'true' }, ['allowPrivateNetwork']],
    ['an invalid root', { ...completeDummy, rootPem: 'root' }, ['rootPem']],
    ['a leaf for a root', { ...completeDummy, rootPem: leafPem }, ['rootPem']],
  ])('refuses %s', (_, config, faults) => {
    expect(faultsOf(dummy, config)).toEqual(faults);
  });

  test.each([1, 825])('takes a validity of %i days', (validityDays) => {
    expect(faultsOf(dummy, { ...completeDummy, validityDays })).toEqual([]);
  });
});

const tsigSecret = Buffer.alloc(32, 7).toString('base64');
const minimalAcme = { directoryUrl: 'https://ca.test/directory', termsOfServiceAgreed: true };

describe('the configuration of an ACME CA', () => {
  test('has its defaults', () => {
    expect(JSON.parse(JSON.stringify(acme.parse(minimalAcme)))).toEqual({
      ...minimalAcme,
      contactEmails: [],
      accountKeyType: 'ES256',
      challenge: {
        type: 'http-01',
        http01: { selfCheck: 'warn', allowPrivateNetwork: false, statelessThumbprint: false },
      },
      timeouts: { requestMs: 10_000, orderS: 600 },
      limits: { maxConcurrency: 4 },
      allowPrivateNetwork: false,
    });
  });

  test('keeps the directory as it was given', () => {
    const directoryUrl = 'https://ca.test/directory/?v=2';
    expect(acme.parse({ ...minimalAcme, directoryUrl })['directoryUrl']).toBe(directoryUrl);
  });

  const webhook = { kind: 'webhook', url: 'https://dns.test' };
  test.each([
    ['nothing', {}, ['directoryUrl', 'termsOfServiceAgreed']],
    ['terms not agreed to', { ...minimalAcme, termsOfServiceAgreed: false }, ['termsOfServiceAgreed']],
    ['a MAC key with a blank', { ...minimalAcme, eab: { kid: 'k', hmacKey: 'a b' } }, ['eab.hmacKey']],
    ['half an external account', { ...minimalAcme, eab: { kid: 'k' } }, ['eab.hmacKey']],
    ['an unknown key deep inside', { ...minimalAcme, eab: { kid: 'k', hmacKey: '********', x: 1 } }, ['x']],
    ['dns-01 without a backend', { ...minimalAcme, challenge: { type: 'dns-01' } }, ['challenge.dns']],
    [
      'a directory at a port for mail',
      { ...minimalAcme, directoryUrl: 'https://ca.test:25/d' },
      ['directoryUrl'],
    ],
    [
      'a webhook at a port that no client calls',
      { ...minimalAcme, challenge: { type: 'dns-01', dns: { ...webhook, url: 'https://dns.test:10080' } } },
      ['challenge.dns.url'],
    ],
    [
      'a webhook without TLS',
      { ...minimalAcme, challenge: { type: 'dns-01', dns: { ...webhook, url: 'http://dns.test' } } },
      ['challenge.dns.url'],
    ],
    ['an unknown challenge', { ...minimalAcme, challenge: { type: 'tls-alpn-01' } }, ['challenge.type']],
    [
      'a command as backend',
      { ...minimalAcme, challenge: { type: 'dns-01', dns: { ...webhook, kind: 'exec' } } },
      ['challenge.dns.kind'],
    ],
    [
      'a webhook at a dns address',
      { ...minimalAcme, challenge: { type: 'dns-01', dns: { ...webhook, url: 'dns://ns.test' } } },
      ['challenge.dns.url'],
    ],
    ...['a'.repeat(64), 'a..b', 'a b', 'ключ'].map((name): [string, object, string[]] => [
      `a TSIG key by the name ${name}`,
      {
        ...minimalAcme,
        challenge: {
          type: 'dns-01',
          dns: { kind: 'rfc2136', url: 'dns://ns.test', tsig: { name, secret: tsigSecret } },
        },
      },
      ['challenge.dns.tsig.name'],
    ]),
    [
      'a line break in a header',
      { ...minimalAcme, challenge: { type: 'dns-01', dns: { ...webhook, authHeader: 'a\r\nb: c' } } },
      ['challenge.dns.authHeader'],
    ],
  ])('refuses %s', (_, config, faults) => {
    expect(faultsOf(acme, config)).toEqual(faults);
  });

  test.each([
    ['private addresses are allowed', 'http://dns.test', true],
    ['it is on this machine', 'http://127.0.0.1:8053', false],
    ['it is this machine by IPv6', 'http://[::1]:8053', false],
    ['it is this machine by name', 'http://localhost:8053', false],
  ])('accepts a webhook without TLS where %s', (_, url, allowPrivateNetwork) => {
    const challenge = { type: 'dns-01', dns: { ...webhook, url } };
    expect(faultsOf(acme, { ...minimalAcme, challenge, allowPrivateNetwork })).toEqual([]);
  });

  test('never quotes a secret that it refuses', () => {
    const { error } = acme.safeParse({ ...minimalAcme, eab: { kid: 'k', hmacKey: 'not a key' } });
    expect(JSON.stringify(error?.issues)).not.toContain('not a key');
  });
});
