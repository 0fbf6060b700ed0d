import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lintCertificate } from '@certloop/crypto/lint';
import { hasProgram, say } from '@certloop/server/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { certificatePem, derOf, names, type PublicCa, startPublicCa } from '../support/public-ca.js';

let ca: PublicCa;
beforeAll(async () => {
  ca = await startPublicCa();
});
afterAll(() => ca.close());

const hasCerttool = hasProgram('certtool', 'it judges no responder');
const suite = hasProgram('openssl', 'OCSP is not judged', ['version']) ? describe : describe.skip;
const serialOf = (pem: string) => new X509Certificate(pem).serialNumber;

/** What OpenSSL says of the status of a certificate of the root, the answer verified. */
async function ask(...about: readonly string[]): Promise<string> {
  const root = ca.file('root.pem', ca.rootPem);
  return say('openssl', ['ocsp', '-issuer', root, '-CAfile', root, ...about, '-url', `${ca.url}/ocsp`]);
}

/** Octets of a request as OpenSSL makes it. */
async function requestFor(...about: readonly string[]): Promise<Buffer> {
  const out = join(ca.folder, 'request.der');
  await say('openssl', ['ocsp', '-issuer', ca.file('root.pem', ca.rootPem), ...about, '-reqout', out]);
  return readFileSync(out);
}

const post = async (body: Uint8Array) => {
  const headers = { 'Content-Type': 'application/ocsp-request' };
  const answer = await fetch(`${ca.url}/ocsp`, { method: 'POST', headers, body: new Uint8Array(body) });
  return { answer, der: Buffer.from(await answer.arrayBuffer()) };
};
const malformedRequest = Buffer.from('30030a0101', 'hex');
const unauthorized = Buffer.from('30030a0106', 'hex');

suite('OCSP answers OpenSSL', () => {
  test('good, then revoked with the reason', async () => {
    const pem = await ca.sign();
    const leaf = ca.file('leaf.pem', pem);
    expect(await ask('-cert', leaf)).toMatch(/leaf.pem: good[\s\S]*Response verify OK/);
    await ca.revoke(serialOf(pem), 'keyCompromise');
    expect(await ask('-cert', leaf)).toMatch(/: revoked[\s\S]*Reason: keyCompromise[\s\S]*verify OK/);
  });

  test('revoked without a reason where none was given', async () => {
    const pem = await ca.sign();
    await ca.revoke(serialOf(pem));
    const said = await ask('-cert', ca.file('leaf.pem', pem));
    expect(said).toMatch(/: revoked/);
    expect(said).not.toMatch(/Reason/);
  });

  test('unknown for a serial number that no one has', async () => {
    expect(await ask('-serial', '0x7f')).toMatch(/0x7f: unknown[\s\S]*verify OK/);
  });

  test.each(['-sha1', '-sha256', '-sha384', '-sha512'])('by %s', async (hash) => {
    expect(await ask(hash, '-cert', ca.file('leaf.pem', await ca.sign()))).toMatch(/: good/);
  });

  test('of several at once', async () => {
    const leaf = ca.file('leaf.pem', await ca.sign());
    const said = await ask('-cert', leaf, '-serial', '0x7f');
    expect(said).toMatch(/leaf.pem: good/);
    expect(said).toMatch(/0x7f: unknown/);
  });

  test('of a certificate of ACME, below the intermediate, whose own status the root signs', async () => {
    const { pem } = await (await ca.acmeClient()).issue(names);
    const root = ca.file('root.pem', ca.rootPem);
    const intermediate = ca.file('intermediate.pem', certificatePem(await ca.get('/issuers/intermediate')));
    const about = ['-issuer', intermediate, '-cert', ca.file('leaf.pem', pem)];
    const trust = ['-CAfile', root, '-verify_other', intermediate, '-url', `${ca.url}/ocsp`];
    expect(await say('openssl', ['ocsp', ...about, ...trust])).toMatch(/leaf.pem: good[\s\S]*verify OK/);
    expect(await ask('-cert', intermediate)).toMatch(/intermediate.pem: good/);
  });

  test('of several issuers at once, in the name of the first', async () => {
    const { pem } = await (await ca.acmeClient()).issue(names);
    const root = ca.file('root.pem', ca.rootPem);
    const intermediate = ca.file('intermediate.pem', certificatePem(await ca.get('/issuers/intermediate')));
    const own = await startPublicCa();
    const stranger = own.file('stranger.pem', own.rootPem);
    const [first, second] = [ca.file('leaf.pem', await ca.sign()), ca.file('second.pem', pem)];
    const about = ['-issuer', root, '-cert', first, '-issuer', intermediate, '-cert', second];
    const beyond = ['-issuer', stranger, '-serial', '0x7f', '-url', `${ca.url}/ocsp`, '-noverify'];
    const said = await say('openssl', ['ocsp', ...about, ...beyond]);
    expect(said).toMatch(/leaf.pem: good[\s\S]*second.pem: good[\s\S]*0x7f: unknown/);
    await own.close();
  });

  test('with its responder’s certificate in order, also after that has ended', async () => {
    const other = await startPublicCa();
    const leaf = other.file('leaf.pem', await other.sign());
    const root = other.file('root.pem', other.rootPem);
    const responderOf = async () => {
      const out = join(other.folder, 'answer.der');
      await say('openssl', [
        'ocsp',
        '-issuer',
        root,
        '-cert',
        leaf,
        '-noverify',
        '-url',
        `${other.url}/ocsp`,
        '-respout',
        out,
      ]);
      const said = await say('openssl', ['ocsp', '-respin', out, '-noverify', '-text']);
      return /-----BEGIN[\s\S]*-----END CERTIFICATE-----/.exec(said)?.[0] ?? '';
    };
    const responder = await responderOf();
    expect(lintCertificate(derOf(responder), derOf(other.rootPem))).toEqual([]);
    const file = other.file('responder.pem', responder);
    expect(
      await say('openssl', ['verify', '-x509_strict', '-purpose', 'ocsphelper', '-CAfile', root, file]),
    ).toMatch(/: OK/);
    if (hasCerttool) {
      const args = ['--verify', '--load-ca-certificate', root, '--infile', file];
      expect(await say('certtool', args)).toContain('Chain verification output: Verified');
    }
    expect(await say('openssl', ['x509', '-noout', '-text', '-in', file])).toMatch(/OCSP No Check/);
    other.clock.advance(31 * 86_400_000);
    expect(await responderOf()).not.toBe(responder);
    await other.close();
  });
});

suite('an answer of OCSP', () => {
  /** Milliseconds of thisUpdate, nextUpdate and the end of the responder's certificate. */
  async function timesOf(place: PublicCa, leaf: string): Promise<readonly number[]> {
    const root = place.file('root.pem', place.rootPem);
    const out = join(place.folder, 'times.der');
    const about = ['-issuer', root, '-cert', place.file('leaf.pem', leaf), '-noverify', '-no_nonce'];
    await say('openssl', ['ocsp', ...about, '-url', `${place.url}/ocsp`, '-respout', out]);
    const said = await say('openssl', ['ocsp', '-respin', out, '-noverify', '-text']);
    const [pem = ''] = /-----BEGIN[\s\S]*-----END CERTIFICATE-----/.exec(said) ?? [];
    const instants = [/This Update: (.*)/, /Next Update: (.*)/].map((line) => line.exec(said)?.[1] ?? '');
    return [...instants, new X509Certificate(pem).validTo].map((text) => Date.parse(text));
  }

  test('begins before it is made and ends no later than the certificate it is about', async () => {
    const now = Math.floor(ca.clock.now().getTime() / 1000) * 1000;
    const pem = await ca.sign({ validity_seconds: 600 });
    const end = Date.parse(new X509Certificate(pem).validTo);
    expect((await timesOf(ca, pem)).slice(0, 2)).toEqual([now - 60_000, end]);
  });

  test('is good for its whole time where the certificate has expired', async () => {
    const place = await startPublicCa();
    const pem = await place.sign({ validity_seconds: 60 });
    place.clock.advance(3_600_000);
    const now = Math.floor(place.clock.now().getTime() / 1000) * 1000;
    expect((await timesOf(place, pem))[1]).toBe(now + 3_600_000);
    await place.close();
  });

  test.each([3_600, 86_400 * 20, 31_536_000])(
    'of %i seconds is always signed by a responder that lasts as long',
    async (ocspSeconds) => {
      const place = await startPublicCa({ status: { crlSeconds: 60, ocspSeconds, backdateSeconds: 60 } });
      const pem = await place.sign();
      for (let day = 0; day <= 90; day += 15) {
        const [thisUpdate = 0, nextUpdate = 0, responderEnd = 0] = await timesOf(place, pem);
        const now = place.clock.now().getTime();
        expect([thisUpdate <= now, nextUpdate > now, nextUpdate <= responderEnd]).toEqual([true, true, true]);
        place.clock.advance(15 * 86_400_000);
      }
      await place.close();
    },
  );
});

suite('OCSP over HTTP', () => {
  test('repeats a nonce and lets no one keep the answer', async () => {
    const { answer, der } = await post(await requestFor('-serial', '0x7f'));
    expect(answer.headers.get('content-type')).toBe('application/ocsp-response');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const text = await say('openssl', ['ocsp', '-respin', ca.file('answer.der', der), '-noverify', '-text']);
    expect(text).toMatch(/OCSP Nonce/);
  });

  test.each([
    ['as it is', (text: string) => text],
    ['escaped', encodeURIComponent],
    ['behind a second slash', (text: string) => `/${text}`],
  ])('takes a request in its address, %s, and says how long the answer is good', async (_, write) => {
    const pem = await ca.sign();
    const request = await requestFor('-no_nonce', '-cert', ca.file('leaf.pem', pem));
    const address = `${ca.url}/ocsp/${write(request.toString('base64'))}`;
    const [first, second] = [await fetch(address), await fetch(address)];
    expect(first.status).toBe(200);
    const fields = ['cache-control', 'etag', 'last-modified', 'expires'].map((name) =>
      first.headers.get(name),
    );
    const now = Math.floor(ca.clock.now().getTime() / 1000) * 1000;
    const [control, etag, ...times] = fields;
    expect(control).toMatch(/^max-age=3(?:600|599), public, no-transform, must-revalidate$/);
    expect(etag).toMatch(/^"[0-9a-f]{40}"$/);
    expect(second.headers.get('etag')).toBe(etag);
    expect(times).toEqual([new Date(now - 60_000).toUTCString(), new Date(now + 3_600_000).toUTCString()]);
    await ca.revoke(serialOf(pem));
    const third = await fetch(address);
    expect(third.headers.get('etag')).not.toBe(etag);
    const der = Buffer.from(await third.arrayBuffer());
    const said = await say('openssl', ['ocsp', '-respin', ca.file('answer.der', der), '-noverify', '-text']);
    expect(said).toMatch(/Cert Status: revoked/);
  });

  test('says unauthorized of other people’s certificates', async () => {
    const other = await startPublicCa();
    const root = other.file('root.pem', other.rootPem);
    const out = join(other.folder, 'request.der');
    await say('openssl', ['ocsp', '-issuer', root, '-serial', '1', '-reqout', out]);
    expect((await post(readFileSync(out))).der).toEqual(unauthorized);
    await other.close();
  });

  test('says malformedRequest of every mutilated request', async () => {
    const valid = await requestFor('-no_nonce', '-serial', '0x7f');
    const bodies = [Buffer.alloc(0), Buffer.from('nonsense'), Buffer.alloc(100_000, 0x30)];
    const cut = [...valid.keys()].map((length) => valid.subarray(0, length));
    for (const body of [...bodies, ...cut, Buffer.concat([valid, Buffer.of(0)])]) {
      const { answer, der } = await post(body);
      expect([answer.status, der.toString('hex')]).toEqual([200, malformedRequest.toString('hex')]);
    }
    for (const path of ['', '/', '/%', '/!!', '/AAAA', `/${valid.toString('base64').slice(4)}`]) {
      expect((await ca.get(`/ocsp${path}`)).toString('hex')).toBe(malformedRequest.toString('hex'));
    }
  });

  test('answers 405 to other methods', async () => {
    const answer = await fetch(`${ca.url}/ocsp`, { method: 'PUT', body: 'x' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
  });
});
