import {
  checkPrimeSync,
  createPrivateKey,
  generateKeyPairSync,
  generatePrimeSync,
  type KeyObject,
} from 'node:crypto';
import { buildCsr, csrLabels, describeCsr, parseCsr, parsePem, spkiSha256 } from '@certloop/crypto';
import { newRowId } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askedNames } from '../../src/csrs/asked-names.js';
import { formatDescription } from '../../src/csrs/csr-view.js';
import { insertCsr } from '../../src/csrs/csrs.repository.js';
import type { TestApp } from '../support/app.js';
import { addFqdn, addSpace, auditEntries, csrUpload, pathOf } from '../support/inventory.js';
import { providerOf, startAppWithCa } from '../support/signing.js';

const hostname = 'www.example.com';

/** An RSA key whose primes lie next to each other. */
function closePrimes(): KeyObject {
  const p = generatePrimeSync(1024, { bigint: true });
  let q = p + 2n;
  const e = 65_537n;
  while (!checkPrimeSync(q) || (q - 1n) % e === 0n) q += 2n;
  const d = inverse(e, (p - 1n) * (q - 1n));
  const text = (number: bigint) => {
    const hex = number.toString(16);
    return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex').toString('base64url');
  };
  return createPrivateKey({
    format: 'jwk',
    key: {
      kty: 'RSA',
      n: text(p * q),
      e: text(e),
      d: text(d),
      p: text(p),
      q: text(q),
      dp: text(d % (p - 1n)),
      dq: text(d % (q - 1n)),
      qi: text(inverse(q, p)),
    },
  });
}

/** By the extended Euclidean algorithm. */
function inverse(value: bigint, modulus: bigint): bigint {
  let [a, b, x, y] = [value % modulus, modulus, 1n, 0n];
  while (a > 1n) {
    const quotient = a / b;
    [a, b, x, y] = [b, a % b, y, x - quotient * y];
  }
  return x < 0n ? x + modulus : x;
}

describeEachDialect('a CSR with a weak RSA key', (open) => {
  let app: TestApp;
  let close: () => Promise<void>;
  let pem: string;
  beforeAll(async () => {
    ({ app, close } = await startAppWithCa(open));
    ({ pem } = await buildCsr({ privateKey: closePrimes(), dnsNames: [hostname] }));
  });
  afterAll(() => close());

  test('is refused when it is uploaded, with the reason', async () => {
    const fqdn = await addFqdn(app, (await addSpace(app)).id, hostname);
    const { status, body } = await csrUpload(app, fqdn, pem);
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'csr_key_weak' });
    expect(body.errors).toEqual([
      {
        path: 'csr.publicKey',
        code: 'not_allowed',
        message:
          'holds a weak RSA key: the two primes of its modulus are too close to each other; generate another key and a new CSR',
      },
    ]);
    expect((await auditEntries(app, 'csr.reject')).at(-1)).toMatchObject({
      details: { code: 'csr_key_weak', fqdn: hostname },
    });
  });

  test('is refused when it is signed, if it was stored before', async () => {
    const fqdn = await addFqdn(app, (await addSpace(app)).id, hostname);
    const csr = parseCsr(parsePem(pem, csrLabels));
    await app.database.transaction((tx) =>
      insertCsr(tx, {
        id: newRowId(app.clock.now()),
        fqdnId: fqdn.id,
        csrPem: pem,
        description: formatDescription(describeCsr(csr), askedNames(csr)),
        spkiSha256: spkiSha256(csr.spkiDer),
        createdAt: app.clock.now(),
      }),
    );
    const { id: providerId } = await providerOf(app, 'dummy-ca');
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const { status, body } = await app.request
        .post(pathOf(fqdn, 'csr/sign'))
        .set(app.people.ada.auth)
        .send({ providerId });
      expect({ status, code: body.code }).toEqual({ status: 400, code: 'csr_key_weak' });
    }
    const { body } = await app.request.get(pathOf(fqdn, 'certificates')).set(app.people.ada.auth);
    expect(body).toEqual([]);
  });

  test('is accepted with a finding if only the exponent is small', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048, publicExponent: 3 });
    const small = await buildCsr({ privateKey, dnsNames: [hostname] });
    const fqdn = await addFqdn(app, (await addSpace(app)).id, hostname);
    const { status, body } = await csrUpload(app, fqdn, small.pem);
    expect(status).toBe(201);
    expect(body.findings).toEqual([
      {
        code: 'small_exponent',
        message: 'its RSA key has the exponent 3; public authorities accept 65537 alone',
        severity: 'warning',
        rule: 'Baseline Requirements §6.1.6',
        fix: expect.objectContaining({ openssl: expect.stringContaining('-newkey ec') }),
      },
    ]);
    const { id: providerId } = await providerOf(app, 'dummy-ca');
    const signed = await app.request
      .post(pathOf(fqdn, 'csr/sign'))
      .set(app.people.ada.auth)
      .send({ providerId });
    expect(signed.body.success).toBe(true);
  });
});
