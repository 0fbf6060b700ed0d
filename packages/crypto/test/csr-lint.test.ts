import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { csrProfiles } from '@certloop/contracts';
import { describe, expect, test } from 'vitest';
import { calendar } from '../src/calendar.js';
import { csrLintCodes } from '../src/csr-lint/lint-codes.js';
import { lintCsrText } from '../src/csr-lint/lint-csr.js';
import { buildCsr, type CsrRequest } from '../src/csrs/build-csr.js';
import { host, lintSamples, ofVersion, signedWith } from './lint-samples.js';

test('every code has a sample', () => {
  const shown = new Set(lintSamples.map(({ code }) => code));
  expect(Object.keys(csrLintCodes).filter((code) => !shown.has(code as keyof typeof csrLintCodes))).toEqual(
    [],
  );
});

/** Samples whose severity is the same in all profiles, unlike the one of their code. */
const alwaysErrors = new Set(['md5WithRSAEncryption', 'brainpoolP256r1', 'of the kind X25519']);

describe.each(lintSamples)('$code', ({ code, text, options }) => {
  test('is the only finding, with a rule and a next step', async () => {
    const result = await lintCsrText(await text(), { profile: 'acme', ...options });
    expect(result.findings.map((finding) => finding.code)).toEqual([code]);
    const [finding] = result.findings;
    expect(finding).toMatchObject({ rule: csrLintCodes[code].rule, message: expect.stringMatching(/./) });
    expect(finding?.fix === undefined).toBe(finding?.severity === 'info');
  });

  test.each(csrProfiles)('has its severity in the profile %s', async (profile) => {
    const { findings } = await lintCsrText(await text(), { ...options, profile });
    const found = findings.find((finding) => finding.code === code);
    const isError = [...alwaysErrors].some((part) => found?.message.includes(part));
    expect(found?.severity ?? null).toBe(isError ? 'error' : csrLintCodes[code].severities[profile]);
  });
});

describe('a CSR for a host name, by a private CA', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const many = Array.from({ length: 100 }, (_, index) => `h${index}.example.org`);
  const extension = (dotted: string, ...value: number[]) => ({
    extensions: [{ oid: dotted, critical: false, value: Buffer.from(value) }],
  });
  test.each<[string, Partial<CsrRequest>, string[]]>([
    ['nothing unusual', {}, []],
    ['its common name among the DNS names', { subject: { commonName: 'WWW.example.org' } }, []],
    ['a wildcard that covers it', { dnsNames: ['*.example.org'] }, []],
    ['another DNS name', { dnsNames: [host, 'a.example.com'] }, ['more_names']],
    [
      'a DNS name that is no host name',
      { dnsNames: [host, '.a.example.com'] },
      ['more_names', 'invalid_names'],
    ],
    ['an IP address', { ipAddresses: ['1.1.1.1'] }, ['more_names']],
    ['a mail address', { emailAddresses: ['a@example.org'] }, ['more_names']],
    ['a URI', { uris: ['https://example.org'] }, ['more_names']],
    ['100 names', { dnsNames: [...many.slice(1), host] }, ['more_names']],
    ['101 names', { dnsNames: [...many, host] }, ['more_names', 'too_many_names']],
    [
      'a common name that is not a DNS name of the CSR',
      { subject: { commonName: 'Example Ltd' } },
      ['common_name_not_in_sans'],
    ],
    ['a common name only', { dnsNames: [], subject: { commonName: host } }, ['no_subject_alt_name']],
    ['an unknown extension', extension('1.2.3', 5, 0), ['unusual_extensions']],
    ['a request to be an authority', extension('2.5.29.19', 0x30, 6, 1, 1, 0xff, 2, 1, 0), ['ca_requested']],
    ['basic constraints of a leaf', extension('2.5.29.19', 0x30, 0), []],
  ])('with %s', async (_situation, request, codes) => {
    const { pem } = await buildCsr({ privateKey, dnsNames: [host], ...request });
    const { findings } = await lintCsrText(pem, { profile: 'private', fqdn: host });
    expect(findings.map(({ code }) => code)).toEqual(codes);
  });

  test.each([
    ['sha1', '1.2.840.10045.4.1', ['weak_signature']],
    ['sha512', '1.2.840.10045.4.3.4', []],
  ])('signed with %s', async (hash, dotted, codes) => {
    const { findings } = await lintCsrText(await signedWith(hash, dotted), { profile: 'private' });
    expect(findings.map(({ code }) => code)).toEqual(codes);
  });

  test.each([1n, 2n])('of version %s', async (version) => {
    const { findings } = await lintCsrText(await ofVersion(version), { profile: 'private' });
    expect(findings.map(({ code }) => code)).toEqual(['version_not_0']);
  });
});

test('the page has each code with its group, rule and severities', () => {
  const page = readFileSync(new URL('../../../../docs/csr-lint.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| <a id="(\w+)"><\/a>`\w+` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|/gm)];
  const word = (severity: string | null) => severity ?? '–';
  expect(rows.map(([, code, severities, rule]) => [code, severities, rule])).toEqual(
    Object.entries(csrLintCodes).map(([code, { rule, severities }]) => [
      code,
      csrProfiles.map((profile) => word(severities[profile])).join(', '),
      rule,
    ]),
  );
});

test('client authentication is found with the dates of the calendar', async () => {
  const sample = lintSamples.find(({ code }) => code === 'client_auth_requested');
  const { findings } = await lintCsrText((await sample?.text()) ?? '', { profile: 'public' });
  const dates = ['google_no_client_auth', 'chrome_no_client_auth'].map(
    (code) => calendar.find((rule) => rule.code === code)?.from,
  );
  expect(findings[0]?.message.match(/\d{4}-\d\d-\d\d/g)).toEqual(dates);
});

test('a private key is not in the result', async () => {
  const sample = lintSamples.find(({ code }) => code === 'private_key_present');
  const text = (await sample?.text()) ?? '';
  const result = await lintCsrText(text, { profile: 'public', fqdn: 'www.example.org' });
  const [line = ''] = /^MI.*$/m.exec(text.slice(text.indexOf('PRIVATE'))) ?? [];
  expect(line.length).toBeGreaterThan(40);
  expect(JSON.stringify(result)).not.toContain(line.slice(0, 20));
  expect(result.csr).toBeUndefined();
});
