import { X509Certificate } from 'node:crypto';
import { caIssuerNames, revocationReasonNames } from '@certloop/contracts';
import { lintRevocationList } from '@certloop/crypto/lint';
import { hasProgram, say } from '@certloop/server/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { certificatePem, crlPem, names, type PublicCa, startPublicCa } from '../support/public-ca.js';

let ca: PublicCa;
beforeAll(async () => {
  ca = await startPublicCa();
});
afterAll(() => ca.close());

const ifOpenssl = hasProgram('openssl', 'it judges no revocation list', ['version']) ? test : test.skip;
const ifCerttool = hasProgram('certtool', 'it judges no revocation list') ? test : test.skip;

const serialOf = (pem: string) => new X509Certificate(pem).serialNumber;
const statusOf = async (serialNumber: string) => {
  const answer = await fetch(`${ca.url}/certificate-status/${serialNumber}`);
  return { status: answer.status, body: answer.status === 200 ? await answer.json() : await answer.text() };
};

describe('POST /admin/revocations', () => {
  test('revokes a certificate of POST /csr, and says so', async () => {
    const serialNumber = serialOf(await ca.sign());
    expect(await statusOf(serialNumber)).toMatchObject({
      status: 200,
      body: { serial_number: serialNumber.toLowerCase(), issuer: 'root', status: 'good' },
    });
    const answer = await ca.revoke(serialNumber, 'keyCompromise');
    expect(answer.status).toBe(201);
    const revoked = {
      serial_number: serialNumber.toLowerCase(),
      issuer: 'root',
      status: 'revoked',
      not_after: expect.any(String),
      revoked_at: ca.clock.now().toISOString(),
      reason: 'keyCompromise',
    };
    expect(await answer.json()).toEqual(revoked);
    expect((await statusOf(serialNumber)).body).toEqual(revoked);
  });

  test('revokes a certificate of ACME, which ACME then knows', async () => {
    const client = await ca.acmeClient();
    const { pem } = await client.issue(names);
    const certificate = new X509Certificate(pem);
    expect((await ca.revoke(certificate.serialNumber)).status).toBe(201);
    const asked = { certificate: certificate.raw.toString('base64url') };
    expect(await client.post(`${ca.url}/acme/revoke-cert`, asked)).toMatchObject({
      status: 400,
      body: { type: 'urn:ietf:params:acme:error:alreadyRevoked' },
    });
    expect((await statusOf(certificate.serialNumber)).body).toMatchObject({ issuer: 'intermediate' });
  });

  test('takes a serial number with colons and in any case', async () => {
    const serialNumber = serialOf(await ca.sign());
    const written = serialNumber.toUpperCase().replace(/..(?!$)/g, '$&:');
    expect((await statusOf(written)).body).toMatchObject({ status: 'good' });
    expect((await ca.revoke(`00${serialNumber}`)).status).toBe(201);
  });

  test.each([
    ['none', undefined, 400],
    ['a serial number that is not hexadecimal', 'xyz', 400],
    ['a serial number that no certificate has', '7f', 404],
  ])('refuses a serial number: %s', async (_, serialNumber, status) => {
    expect((await ca.revoke(serialNumber as string)).status).toBe(status);
  });

  test('refuses an unknown reason and a second time', async () => {
    const serialNumber = serialOf(await ca.sign());
    expect((await ca.revoke(serialNumber, 'boredom')).status).toBe(400);
    await ca.revoke(serialNumber);
    expect((await ca.revoke(serialNumber)).status).toBe(409);
  });
});

describe('DELETE /admin/revocations/{serialNumber}', () => {
  const lift = async (serialNumber: string) =>
    (await fetch(`${ca.url}/admin/revocations/${serialNumber}`, { method: 'DELETE' })).status;

  test('lifts a hold, and nothing else', async () => {
    const [held, revoked, good] = [await ca.sign(), await ca.sign(), await ca.sign()].map(serialOf) as [
      string,
      string,
      string,
    ];
    await ca.revoke(held, 'certificateHold');
    await ca.revoke(revoked, 'superseded');
    expect(await Promise.all([held, revoked, good, 'xx'].map(lift))).toEqual([204, 409, 404, 404]);
    expect((await statusOf(held)).body).toMatchObject({ status: 'good' });
  });
});

describe('GET /crls/{issuer}', () => {
  const files = async (issuer: string, leafPem: string) => ({
    root: ca.file('root.pem', ca.rootPem),
    intermediate: ca.file('intermediate.pem', certificatePem(await ca.get('/issuers/intermediate'))),
    leaf: ca.file('leaf.pem', leafPem),
    lists: ca.file(
      'lists.pem',
      `${crlPem(await ca.get(`/crls/${issuer}`))}${crlPem(await ca.get('/crls/root'))}`,
    ),
  });
  const crlText = async (issuer: string) =>
    say('openssl', [
      'crl',
      '-inform',
      'DER',
      '-noout',
      '-text',
      '-in',
      ca.file('list.crl', await ca.get(`/crls/${issuer}`)),
    ]);

  ifOpenssl('is what OpenSSL judges certificates of the root by', async () => {
    const pem = await ca.sign();
    const check = async () => {
      const { root, leaf, lists } = await files('root', pem);
      return say('openssl', [
        'verify',
        '-x509_strict',
        '-crl_check_all',
        '-CRLfile',
        lists,
        '-CAfile',
        root,
        leaf,
      ]);
    };
    expect(await check()).toMatch(/: OK/);
    await ca.revoke(serialOf(pem), 'superseded');
    await expect(check()).rejects.toThrow(/certificate revoked/);
  });

  ifOpenssl('is what OpenSSL judges a chain of ACME by, and revoke-cert is in it', async () => {
    const client = await ca.acmeClient();
    const { pem } = await client.issue(names);
    const check = async () => {
      const { root, leaf, lists, intermediate } = await files('intermediate', pem);
      const crls = ['-crl_check_all', '-CRLfile', lists];
      return say('openssl', [
        'verify',
        '-x509_strict',
        ...crls,
        '-CAfile',
        root,
        '-untrusted',
        intermediate,
        leaf,
      ]);
    };
    expect(await check()).toMatch(/: OK/);
    const certificate = new X509Certificate(pem).raw.toString('base64url');
    await client.post(`${ca.url}/acme/revoke-cert`, { certificate, reason: 1 });
    await expect(check()).rejects.toThrow(/certificate revoked/);
    expect(await crlText('intermediate')).toMatch(/Reason Code:\s+Key Compromise/);
  });

  ifOpenssl('has version 2, key identifier, and a number that rises', async () => {
    const numberOf = (text: string) => Number(/CRL Number:\s+(\d+|0x[0-9A-F]+)/i.exec(text)?.[1]);
    const before = await crlText('root');
    expect(before).toMatch(/Version 2/);
    expect(before).toMatch(/Authority Key Identifier/);
    expect(await crlText('root')).toBe(before);
    await ca.revoke(serialOf(await ca.sign()));
    const after = await crlText('root');
    expect(numberOf(after)).toBeGreaterThan(numberOf(before));
    expect(await crlText('alternate-root')).toMatch(/No Revoked Certificates/);
  });

  ifCerttool('is one that GnuTLS verifies and judges by', async () => {
    const pem = await ca.sign();
    const check = async () => {
      const { root, leaf } = await files('root', pem);
      const list = ca.file('one.pem', crlPem(await ca.get('/crls/root')));
      const said = await say('certtool', ['--verify-crl', '--load-ca-certificate', root, '--infile', list]);
      expect(said).toMatch(/Verification output: Verified/);
      const args = ['--verify', '--load-ca-certificate', root, '--load-crl', list, '--infile', leaf];
      return say('certtool', args).catch(({ message }: Error) => message);
    };
    expect(await check()).toMatch(/Chain verification output: Verified/);
    await ca.revoke(serialOf(pem));
    expect(await check()).toMatch(/revoked/);
  });

  ifOpenssl('is accepted by a client whose clock is as slow as certificates allow for', async () => {
    const { root, leaf, lists } = await files('root', await ca.sign());
    const slow = String(Math.floor(ca.clock.now().getTime() / 1000) - 30);
    const args = ['verify', '-attime', slow, '-crl_check', '-CRLfile', lists, '-CAfile', root, leaf];
    expect(await say('openssl', args)).toMatch(/: OK/);
  });

  ifOpenssl('is made anew in time, and forgets what has expired', async () => {
    const other = await startPublicCa({ status: { crlSeconds: 60, ocspSeconds: 60, backdateSeconds: 60 } });
    const listText = async () =>
      say('openssl', [
        'crl',
        '-inform',
        'DER',
        '-noout',
        '-text',
        '-in',
        other.file('x.crl', await other.get('/crls/root')),
      ]);
    await other.revoke(serialOf(await other.sign({ validity_seconds: 100 })));
    const first = await listText();
    other.clock.advance(29_000);
    expect(await listText()).toBe(first);
    other.clock.advance(1_000);
    expect(await listText()).not.toBe(first);
    other.clock.advance(100_000);
    expect(await listText()).toMatch(/Serial Number/);
    other.clock.advance(60_000);
    expect(await listText()).toMatch(/No Revoked Certificates/);
    await other.close();
  });

  test('passes our lint for every issuer, with every reason', async () => {
    for (const reason of revocationReasonNames) await ca.revoke(serialOf(await ca.sign()), reason);
    for (const name of caIssuerNames) {
      const list = await ca.get(`/crls/${name}`);
      expect(lintRevocationList(list, await ca.get(`/issuers/${name}`))).toEqual([]);
    }
  });

  test.each(['/crls/unknown', '/issuers/unknown', '/certificate-status/00', '/certificate-status/x'])(
    '404: %s',
    async (path) => {
      const answer = await fetch(`${ca.url}${path}`);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/plain; charset=utf-8']);
    },
  );

  test('names its media types', async () => {
    const types = await Promise.all(
      ['/crls/root', '/issuers/root'].map(async (path) =>
        (await fetch(`${ca.url}${path}`)).headers.get('content-type'),
      ),
    );
    expect(types).toEqual(['application/pkix-crl', 'application/pkix-cert']);
  });
});
