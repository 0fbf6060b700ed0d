import { generateKeyPairSync } from 'node:crypto';
import type { Fqdn } from '@certloop/contracts';
import { buildCsr, csrLabels, parseCsr, parsePem, spkiSha256 } from '@certloop/crypto';
import { executeSql, newRowId } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { insertCsr } from '../../src/csrs/csrs.repository.js';
import { orderSubject } from '../../src/judging/csr-rules.js';
import type { TestApp } from '../support/app.js';
import { addCsr, addFqdn, addSpace, csrSample, csrUpload, pathOf, unknownId } from '../support/inventory.js';
import { providerOf, startAppWithCa } from '../support/signing.js';

const samples = [
  ...['ca', 'certificate', 'common-name-only', 'ed25519', 'many-kinds', 'md5', 'other-name', 'other-sans'],
  ...['p256', 'p384', 'p521', 'rsa-pss', 'rsa1024', 'rsa2048', 'secp256k1', 'sha1', 'version-2', 'wildcard'],
];

interface Finding {
  readonly code: string;
  readonly severity: string;
  readonly fix?: { readonly openssl?: string };
}

describeEachDialect('linting a CSR', (open) => {
  let app: TestApp;
  let close: () => Promise<void>;
  let fqdn: Fqdn;
  beforeAll(async () => {
    ({ app, close } = await startAppWithCa(open));
    fqdn = await addFqdn(app, (await addSpace(app)).id);
  });
  afterAll(() => close());

  const lint = (body: object) => app.request.post('/csr-lint').set(app.people.cleo.auth).send(body);
  const codesOf = (findings: readonly Finding[]) =>
    findings.map(({ code, severity }) => `${code} ${severity}`);

  test('returns a verdict, the findings and what the CSR says, and stores nothing', async () => {
    const csrPem = csrSample('rsa2048');
    const { body } = await lint({ csrPem, fqdn: 'WWW.example.com', profile: 'public' }).expect(200);
    expect(body).toEqual({
      verdict: 'warnings',
      findings: [
        {
          code: 'client_auth_requested',
          severity: 'warning',
          rule: expect.any(String),
          message: expect.stringContaining('client authentication'),
          fix: {
            openssl:
              "openssl req -new -key 'www.example.com.key' -out 'www.example.com.csr' -subj '/CN=www.example.com' -addext 'subjectAltName=DNS:www.example.com'",
            certreq: expect.stringContaining('_continue_="dns=www.example.com"'),
            text: expect.any(String),
          },
        },
        { code: 'subject_dropped', severity: 'info', rule: expect.any(String), message: expect.any(String) },
      ],
      description: expect.objectContaining({ publicKeyAlgorithm: 'RSA', dnsNames: ['www.example.com'] }),
    });
    const { body: stored } = await app.request.get(pathOf(fqdn, 'csr')).set(app.people.ada.auth).expect(200);
    expect(stored).toEqual([]);
  });

  test.each<[string, object, string[]]>([
    ['a profile', { profile: 'public' }, ['curve_not_public error']],
    ['a public host name', { fqdn: 'a.b.dev' }, ['curve_not_public error', 'fqdn_not_covered error']],
    ['a host name that is not public', { fqdn: 'www.example.com' }, ['curve_not_public info']],
    ['nothing', {}, ['curve_not_public error']],
  ])('judges by %s', async (_, rules, codes) => {
    const { body } = await lint({ csrPem: csrSample('p521'), ...rules }).expect(200);
    expect(codesOf(body.findings)).toEqual(codes);
  });

  test('judges by the CA of a provider', async () => {
    const [acme, dummy] = [await providerOf(app, 'acme'), await providerOf(app, 'dummy-ca')];
    const verdictBy = async (providerId: string) =>
      (await lint({ csrPem: csrSample('p521'), providerId }).expect(200)).body.verdict;
    expect(await verdictBy(acme.id)).toBe('refused');
    expect(await verdictBy(dummy.id)).toBe('ok');
  });

  test('allows 25 names where the provider asks for such a profile', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const dnsNames = Array.from({ length: 26 }, (_, index) => `h${index}.example.org`);
    const { pem: csrPem } = await buildCsr({ privateKey, dnsNames });
    const { id: providerId } = await providerOf(app, 'acme');
    const verdictWith = async (profile: string) => {
      const config = JSON.stringify({ directoryUrl: 'https://acme.test/', profile });
      const text = 'update providers set config = $1 where id = $2';
      await app.database.transaction((tx) => executeSql(tx, text, [config, providerId]));
      return (await lint({ csrPem, providerId }).expect(200)).body.verdict;
    };
    expect(await verdictWith('classic')).toBe('ok');
    expect(await verdictWith('tlsserver')).toBe('refused');
  });

  test.each<[string, object, string]>([
    ['no text', {}, 'csrPem'],
    ['a text above 64 KiB', { csrPem: 'x'.repeat(65_537) }, 'csrPem'],
    ['a host name that is none', { csrPem: 'x', fqdn: 'a..b' }, 'fqdn'],
    ['an unknown provider', { csrPem: 'x', providerId: unknownId }, 'providerId'],
    ['an unknown profile', { csrPem: 'x', profile: 'other' }, 'profile'],
    ['provider and profile', { csrPem: 'x', profile: 'acme', providerId: unknownId }, 'profile'],
  ])('refuses %s', async (_, body, path) => {
    const { body: problem } = await lint(body).expect(400);
    expect(problem.errors).toMatchObject([{ path: expect.stringMatching(new RegExp(`${path}$`)) }]);
  });

  test('drops a private key, which is neither in the answer nor in the log', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const { body } = await lint({ csrPem: csrSample('p256') + key, fqdn: 'www.example.com' }).expect(200);
    expect(body).toMatchObject({ verdict: 'refused', findings: [{ code: 'private_key_present' }] });
    expect(body.findings[0].fix.openssl).toContain('-newkey');
    const material = key.split('\n')[1]?.slice(0, 40) ?? '';
    expect(material).toHaveLength(40);
    for (const text of [JSON.stringify(body), JSON.stringify(app.logged())]) {
      expect(text).not.toContain(material);
    }
  });

  test.each(samples)('refuses as CertLoop does: %s', async (name) => {
    const csrPem = csrSample(name);
    const verdictFor = async (profile: string) =>
      (await lint({ csrPem, fqdn: 'www.example.com', profile }).expect(200)).body.verdict;
    const upload = await csrUpload(app, fqdn, csrPem).query({ dryRun: 'true' });
    if (upload.status === 400) expect(await verdictFor('private')).toBe('refused');
    if (isRefusedForAcme(csrPem)) expect(await verdictFor('acme')).toBe('refused');
  });

  function isRefusedForAcme(csrPem: string): boolean {
    try {
      orderSubject(csrPem);
      return false;
    } catch {
      return true;
    }
  }

  describe('at its upload', () => {
    test('has the same findings as by its own, also in a dry run and when it is read', async () => {
      const other = await addFqdn(app, fqdn.spaceId, 'example.com');
      const pem = csrSample('many-kinds');
      const { body: linted } = await lint({ csrPem: pem, fqdn: other.fqdn }).expect(200);
      const { body: reviewed } = await csrUpload(app, other, pem).query({ dryRun: 'true' }).expect(200);
      const stored = await addCsr(app, other, pem);
      const { body: read } = await app.request
        .get(pathOf(other, 'csr?latest=true'))
        .set(app.people.ada.auth)
        .expect(200);
      for (const { findings } of [reviewed, stored, read]) expect(findings).toEqual(linted.findings);
      expect(linted.findings).not.toEqual([]);
    });

    test('is judged by the provider of the FQDN', async () => {
      const other = await addFqdn(app, (await addSpace(app)).id);
      const before = await addCsr(app, other, csrSample('p521'));
      expect(codesOf(before.findings as Finding[])).toEqual(['curve_not_public info']);
      const { id: providerId } = await providerOf(app, 'acme');
      const path = `/spaces/${other.spaceId}/fqdns/${other.id}`;
      await app.request.put(path).set(app.people.ada.auth).send({ providerId }).expect(200);
      const get = (rest: string) => app.request.get(rest).set(app.people.ada.auth).expect(200);
      const { body: csrs } = await get(pathOf(other, 'csr'));
      expect(codesOf(csrs[0].findings)).toEqual(['curve_not_public error']);
      const { body: shown } = await get(path);
      expect(codesOf(shown.status.csr.findings)).toEqual(['curve_not_public error']);
    });

    test.each<[string, string, string]>([
      ['another name', 'other-name', 'DNS:www.example.com,DNS:other.example.com'],
      ['a weak key', 'rsa1024', '-newkey ec'],
      ['MD5', 'md5', '-sha256'],
      ['no CSR', 'certificate', 'DNS:www.example.com'],
    ])('is refused with the command that repairs it: %s', async (_, name, part) => {
      for (const query of [{}, { dryRun: 'true' }]) {
        const { body } = await csrUpload(app, fqdn, csrSample(name)).query(query).expect(400);
        expect(body.fix.openssl).toContain(part);
        expect(body.fix.openssl).toMatch(/^openssl req -new /);
      }
    });

    test('is refused without a fix where the request is wrong, not the CSR', async () => {
      const { body } = await csrUpload(app, { ...fqdn, fqdn: 'a.example' }, csrSample('p256')).expect(400);
      expect(body.fix).toBeUndefined();
    });
  });

  test('stored by an earlier version, has the findings of today', async () => {
    const other = await addFqdn(app, (await addSpace(app)).id);
    const csrPem = csrSample('sha1');
    const csr = parseCsr(parsePem(csrPem, csrLabels));
    const description = {
      ...{ subject: '', publicKeyAlgorithm: 'RSA', signatureAlgorithm: 'x', keySize: 2048 },
      ...{ dnsNames: [other.fqdn], emailAddresses: [], ipAddresses: [], uris: [], extensions: [] },
      findings: [{ code: 'old_code', message: 'it is of an earlier version' }],
    };
    const now = app.clock.now();
    await app.database.transaction((tx) =>
      insertCsr(tx, {
        ...{ id: newRowId(now), fqdnId: other.id, csrPem, createdAt: now },
        description: JSON.stringify(description),
        spkiSha256: spkiSha256(csr.spkiDer),
      }),
    );
    const get = (path: string) => app.request.get(path).set(app.people.ada.auth).expect(200);
    const { body: csrs } = await get(pathOf(other, 'csr'));
    const { body: shown } = await get(`/spaces/${other.spaceId}/fqdns/${other.id}`);
    for (const findings of [csrs[0].findings, shown.status.csr.findings]) {
      expect(findings).toMatchObject([{ code: 'weak_signature', severity: 'warning' }]);
    }
    expect(csrs[0].findings[0].fix.openssl).toContain('-sha256');
    expect(shown.status.csr.findings[0].fix).toBeUndefined();
  });

  test('with a key that was revoked as compromised, says so', async () => {
    const other = await addFqdn(app, (await addSpace(app)).id);
    const { csrPem } = await addCsr(app, other, csrSample('p384'));
    const { id: providerId } = await providerOf(app, 'dummy-ca');
    const signed = await app.request
      .post(pathOf(other, 'csr/sign'))
      .set(app.people.ada.auth)
      .send({ providerId })
      .expect(200);
    expect(signed.body).toMatchObject({ success: true });
    const text = `update certificates set revoked_at = created_at, revocation_reason = 'keyCompromise'
      where fqdn_id = $1`;
    await app.database.transaction((tx) => executeSql(tx, text, [other.id]));
    const { body } = await lint({ csrPem, fqdn: other.fqdn }).expect(200);
    expect(body).toMatchObject({ verdict: 'refused', findings: [{ code: 'key_compromised' }] });
    expect(body.findings[0].fix.openssl).toContain('-newkey');
    const { body: csrs } = await app.request.get(pathOf(other, 'csr')).set(app.people.ada.auth).expect(200);
    expect(codesOf(csrs[0].findings)).toEqual(['key_compromised error']);
  });
});
