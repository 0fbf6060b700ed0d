import { X509Certificate } from 'node:crypto';
import { type AcmeClient, dnsIdentifiers } from '@certloop/acme-server/testing';
import type { AcmeOrder } from '@certloop/contracts';
import { buildCsr, describeCertificate, parseCertificate, splitChain } from '@certloop/crypto';
import { lintCertificate } from '@certloop/crypto/lint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startAcme, type TestAcme } from '../support/acme.js';
import { p256, rsa } from '../support/csrs.js';

const now = new Date('2026-11-21T10:00:00.000Z');
let acme: TestAcme;
let client: AcmeClient;
beforeAll(async () => {
  acme = await startAcme({ now });
  client = await acme.client();
});
afterAll(() => acme.close());

const problem = (type: string, status: number) => ({
  status,
  body: { type: `urn:ietf:params:acme:error:${type}` },
});
const serverAuth = ['1.3.6.1.5.5.7.3.1'];
const both = [...serverAuth, '1.3.6.1.5.5.7.3.2'];
const name = dnsIdentifiers('www.example.test');
const parse = (pem: string) => splitChain(pem).map((der) => new X509Certificate(der));

async function readyOrder(identifiers = name, options: object = {}): Promise<AcmeOrder> {
  const { body } = await client.order(identifiers, options);
  await client.prove(body, identifiers[0]?.type === 'ip' ? 'http-01' : 'dns-01');
  return body;
}

describe('finalize (RFC 8555 §7.4)', () => {
  test('is refused while the order is pending, and once it is valid', async () => {
    const { body: pending } = await client.order(name);
    expect(await client.finalize(pending)).toMatchObject(problem('orderNotReady', 403));
    await client.prove(pending, 'dns-01');
    expect((await client.finalize(pending)).body.status).toBe('valid');
    expect(await client.finalize(pending)).toMatchObject(problem('orderNotReady', 403));
  });

  test('issues once for two requests at the same time', async () => {
    const order = await readyOrder();
    const answers = await Promise.all([client.finalize(order), client.finalize(order)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
  });

  test('refuses a wrong CSR, and leaves the order ready for a right one', async () => {
    const order = await readyOrder();
    const { der } = await buildCsr({ privateKey: p256().privateKey, dnsNames: ['other.test'] });
    for (const csr of [der.toString('base64url'), der.subarray(1).toString('base64url')]) {
      expect(await client.post(order.finalize, { csr })).toMatchObject(problem('badCSR', 400));
    }
    const broken = Buffer.from(der);
    broken[broken.length - 1] = (broken.at(-1) ?? 0) ^ 1;
    expect(await client.post(order.finalize, { csr: broken.toString('base64url') })).toMatchObject(
      problem('badCSR', 400),
    );
    expect(await client.post(order.finalize, {})).toMatchObject(problem('malformed', 400));
    expect((await client.finalize(order)).body.status).toBe('valid');
  });

  test('refuses a CSR whose signature does not hold', async () => {
    const order = await readyOrder();
    const { der } = await buildCsr({ privateKey: p256().privateKey, dnsNames: ['www.example.test'] });
    const broken = Buffer.from(der);
    broken[broken.length - 1] = (broken.at(-1) ?? 0) ^ 1;
    const answer = await client.post(order.finalize, { csr: broken.toString('base64url') });
    expect(answer).toMatchObject(problem('badCSR', 400));
    expect(answer.body['detail']).toMatch(/signature/);
  });

  test('refuses the key of the account', async () => {
    const answer = await client.finalize(await readyOrder(), client.key);
    expect(answer).toMatchObject(problem('badCSR', 400));
  });
});

describe('a certificate', () => {
  test.each([
    ['an address', [{ type: 'ip', value: '2001:db8::1' }]],
    ['an address and a name', [{ type: 'ip', value: '192.0.2.1' }, ...name]],
    ['a wildcard', dnsIdentifiers('*.example.test')],
    ['a hundred names', dnsIdentifiers(...Array.from({ length: 100 }, (_, n) => `n${n}.example.test`))],
  ])('is issued for %s without a fault', async (_, identifiers) => {
    const { pem } = await client.issue(identifiers);
    const [leaf, intermediate] = parse(pem);
    const names = identifiers.map(({ type, value }) =>
      type === 'dns' ? `DNS:${value}` : `IP Address:${value.toUpperCase()}`,
    );
    expect((leaf?.subjectAltName ?? '').split(', ').sort()).toEqual(
      names.map((each) => each.replace('2001:DB8::1', '2001:DB8:0:0:0:0:0:1')).sort(),
    );
    expect(lintCertificate(leaf?.raw ?? Buffer.alloc(0), intermediate?.raw)).toEqual([]);
  });

  test('has the requested validity, past or future', async () => {
    const expired = await client.issue(name, {
      notAfter: '2026-11-21T00:00:00Z',
      notBefore: '2026-11-20T23:00:00Z',
    });
    expect(parse(expired.pem)[0]?.validTo).toBe('Nov 21 00:00:00 2026 GMT');
    const early = await client.issue(name, { notBefore: '2027-11-21T00:00:00Z' });
    expect(parse(early.pem)[0]?.validFrom).toBe('Nov 21 00:00:00 2027 GMT');
  });

  test('has the validity of its profile', async () => {
    const { pem } = await client.issue(name, { profile: 'shortlived' });
    const [leaf] = parse(pem);
    expect(Date.parse(leaf?.validTo ?? '') - Date.parse(leaf?.validFrom ?? '')).toBe(576_000_000);
  });

  test.each([
    [
      'classic',
      { subject: 'CN=www.example.test', hasKeyIdentifier: true, encipherment: true, purposes: serverAuth },
    ],
    [
      'tlsclient',
      { subject: 'CN=www.example.test', hasKeyIdentifier: true, encipherment: true, purposes: both },
    ],
    ['tlsserver', { subject: '', hasKeyIdentifier: false, encipherment: false, purposes: serverAuth }],
    ['shortlived', { subject: '', hasKeyIdentifier: false, encipherment: false, purposes: serverAuth }],
  ])('has the content of the profile %s', async (profile, content) => {
    const [csrKey, asked] = [rsa().privateKey, dnsIdentifiers('www.example.test')];
    const order = await readyOrder(asked, { profile });
    const subject = { commonName: 'www.example.test' };
    const { der } = await buildCsr({ privateKey: csrKey, subject, dnsNames: ['www.example.test'] });
    const { body } = await client.post(order.finalize, { csr: der.toString('base64url') });
    const { text } = await client.post(String(body['certificate']));
    const [leaf = Buffer.alloc(0), intermediate] = splitChain(text);
    const { subject: named, subjectKeyIdentifier, extensions } = describeCertificate(parseCertificate(leaf));
    const usage = extensions.find(({ oid }) => oid === '2.5.29.15');
    expect({
      subject: named,
      hasKeyIdentifier: subjectKeyIdentifier !== undefined,
      encipherment: usage?.purposes.includes('Key Encipherment'),
      purposes: new X509Certificate(leaf).keyUsage,
    }).toEqual(content);
    // RFC 5280 §4.2.1.2 says SHOULD; public CAs leave it out
    const findings = content.hasKeyIdentifier ? [] : ['the subject key identifier is missing'];
    expect(lintCertificate(leaf, intermediate)).toEqual(findings);
  });

  test('is of an authority with an RSA root as well', async () => {
    const other = await startAcme({ root: { keyType: 'RSA-2048' } });
    const owner = await other.client();
    const { pem } = await owner.issue(name, {}, rsa().privateKey);
    const [leaf, intermediate] = parse(pem);
    const root = new X509Certificate(other.authority.rootPem);
    expect(lintCertificate(leaf?.raw ?? Buffer.alloc(0), intermediate?.raw)).toEqual([]);
    expect(lintCertificate(intermediate?.raw ?? Buffer.alloc(0), root.raw)).toEqual([]);
    await other.close();
  });
});

describe('download (RFC 8555 §7.4.2)', () => {
  test('links an alternate chain, which ends at another root', async () => {
    const { download, order } = await client.issue(name);
    const links = download.headers.get('link') ?? '';
    const alternate = /<([^>]+)>;rel="alternate"/.exec(links)?.[1] ?? '';
    expect(links).toContain(`<${client.directoryUrl}>;rel="index"`);
    const { text, headers } = await client.post(alternate);
    expect(headers.get('link')).toContain(`<${order.certificate}>;rel="alternate"`);
    const roots = await Promise.all(
      [0, 1].map(async (chain) => (await fetch(`${acme.url}/acme/roots/${chain}`)).text()),
    );
    expect(roots[0]).toBe(acme.authority.rootPem);
    const chains = [download.text, text].map(parse);
    for (const [number, [leaf, intermediate]] of chains.entries()) {
      const root = new X509Certificate(roots[number] ?? '');
      expect(leaf?.verify(intermediate?.publicKey ?? root.publicKey)).toBe(true);
      expect(lintCertificate(intermediate?.raw ?? Buffer.alloc(0), root.raw)).toEqual([]);
    }
    expect(chains[0]?.[0]?.raw.equals(chains[1]?.[0]?.raw ?? Buffer.alloc(0))).toBe(true);
    expect(chains[0]?.[1]?.issuer).not.toBe(chains[1]?.[1]?.issuer);
  });

  test('has no link to its issuer, which is in the chain', async () => {
    const { download } = await client.issue(name);
    expect(download.headers.get('link')).not.toContain('rel="up"');
    const issuers = await fetch(`${acme.url}/acme/issuers/0`);
    expect(download.text.endsWith(await issuers.text())).toBe(true);
  });

  test('is rejected for another account, and for an unknown certificate', async () => {
    const { order } = await client.issue(name);
    const url = order.certificate ?? '';
    expect(await (await acme.client()).post(url)).toMatchObject(problem('unauthorized', 403));
    expect(await client.post(`${url}x`)).toMatchObject(problem('malformed', 404));
    expect(await client.post(`${url}/7`)).toMatchObject(problem('malformed', 404));
    expect((await fetch(url)).status).toBe(405);
  });
});
