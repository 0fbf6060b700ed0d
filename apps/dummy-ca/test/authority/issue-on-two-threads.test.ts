import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { InvalidInput } from '@certloop/contracts';
import { parseCertificate, parsePem } from '@certloop/crypto';
import { lintCertificate } from '@certloop/crypto/lint';
import { createLogger } from '@certloop/server';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SignedCertificate } from '../../src/authority/csr-issuance.js';
import { createSecondThread, type SecondThread } from '../../src/authority/second-thread.service.js';
import { startCa, type TestCa } from '../support/app.js';
import { csrDer, p256, pemOf, rsa } from '../support/csrs.js';

const now = new Date();
const valid = Array.from({ length: 24 }, (_, n) => {
  const keys = n % 6 === 5 ? rsa() : p256();
  const spki = keys.publicKey.export({ type: 'spki', format: 'der' });
  return { pem: pemOf(csrDer({ keys })), spki };
});
const wrongSignature = pemOf(csrDer({ spki: p256().publicKey.export({ type: 'spki', format: 'der' }) }));

describe.each(['P-256', 'RSA-2048'] as const)('an authority of %s on two threads', (keyType) => {
  let second: SecondThread;
  let ca: TestCa;
  let issuedHere: number;

  const issue = (pem: string) => ca.authority.issue(pem, { seconds: 86_400 }, now);
  const numberOf = ({ serialNumber }: SignedCertificate) => BigInt(`0x${serialNumber}`);

  beforeEach(async () => {
    second = createSecondThread(createLogger({ service: 'dummy-ca', level: 'silent' }));
    issuedHere = 0;
    ca = await startCa(
      { keyType },
      {
        now,
        spread: (parts, issueHere) =>
          second.spread(parts, (...job) => {
            issuedHere += 1;
            return issueHere(...job);
          }),
      },
    );
    // the other thread takes its part once it is up
    for (let all = 0; all === issuedHere; all += 10) {
      await Promise.all(valid.slice(0, 10).map(({ pem }) => issue(pem)));
    }
    issuedHere = 0;
  });

  afterEach(() => second.close());

  test('returns to each request its own certificate', async () => {
    const issued = await Promise.all(valid.map(({ pem }) => issue(pem)));
    expect(issuedHere).toBeLessThan(valid.length);
    for (const [place, { certificatePem, serialNumber }] of issued.entries()) {
      const certificate = parseCertificate(parsePem(certificatePem, ['CERTIFICATE']));
      expect(certificate.spkiDer).toEqual(valid[place]?.spki);
      expect(certificate.serialNumber).toBe(serialNumber);
      expect(new X509Certificate(certificatePem).verify(ca.root.publicKey)).toBe(true);
      expect(lintCertificate(certificate.der)).toEqual([]);
    }
  });

  test('returns the right certificates if some take longer than later ones', async () => {
    // signatures of P-521 are checked in the thread pool, while those of P-256 behind them are done at once
    const slow = generateKeyPairSync('ec', { namedCurve: 'P-521' });
    const slowSpki = slow.publicKey.export({ type: 'spki', format: 'der' });
    const slowWrong = pemOf(csrDer({ spki: slowSpki }));
    const asked = valid.flatMap(({ pem, spki }, n) => [
      ...(n % 8 === 0
        ? [
            { pem: pemOf(csrDer({ keys: slow })), spki: slowSpki },
            { pem: slowWrong, spki: undefined },
          ]
        : []),
      { pem, spki },
    ]);
    const outcomes = await Promise.allSettled(asked.map(({ pem }) => issue(pem)));
    const issuedSpkis = outcomes.map((each) =>
      each.status === 'fulfilled'
        ? parseCertificate(parsePem(each.value.certificatePem, ['CERTIFICATE'])).spkiDer.toString('hex')
        : undefined,
    );
    expect(issuedSpkis).toEqual(asked.map(({ spki }) => spki?.toString('hex')));
  });

  test('uses one sequence of serial numbers, without gaps for rejected requests', async () => {
    const texts = valid.flatMap(({ pem }, n) => (n % 3 === 0 ? [pem, wrongSignature, 'no PEM'] : [pem]));
    const outcomes = await Promise.allSettled(texts.map(issue));
    const issued = outcomes.filter((each) => each.status === 'fulfilled').map(({ value }) => numberOf(value));
    const refused = outcomes
      .filter((each) => each.status === 'rejected')
      .map(({ reason }) => reason as unknown);
    expect(issued).toHaveLength(valid.length);
    const rising = issued.sort((one, other) => (one < other ? -1 : 1));
    expect(rising).toEqual(rising.map((_, n) => (rising[0] ?? 0n) + BigInt(n)));
    expect(refused).toHaveLength(texts.length - valid.length);
    for (const reason of refused) expect(reason).toBeInstanceOf(InvalidInput);
    expect(new Set(refused.map((reason) => (reason as Error).message)).size).toBe(2);
  });

  test('issues the pending work of the other thread after that ended', async () => {
    const issued = valid.map(({ pem }) => issue(pem));
    // by then the other thread has its first batches
    await new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));
    await second.close();
    expect(new Set((await Promise.all(issued)).map(({ certificatePem }) => certificatePem)).size).toBe(
      valid.length,
    );
    issuedHere = 0;
    await Promise.all(valid.map(({ pem }) => issue(pem)));
    expect(issuedHere).toBe(valid.length);
  });
});

test('an authority whose other thread does not start logs it once, and issues alone', async () => {
  const lines: string[] = [];
  let resolveLogged: () => void;
  const logged = new Promise<void>((resolve) => {
    resolveLogged = resolve;
  });
  const destination = {
    write: (line: string) => {
      lines.push((JSON.parse(line) as { readonly event: string }).event);
      resolveLogged();
    },
  };
  const second = createSecondThread(createLogger({ service: 'dummy-ca', level: 'error', destination }));
  const ca = await startCa(
    {},
    {
      now,
      spread: (parts, issueHere) =>
        second.spread({ ...parts, certificateDer: Buffer.from('none') }, issueHere),
    },
  );
  const issueAll = () => Promise.all(valid.map(({ pem }) => ca.authority.issue(pem, { seconds: 60 }, now)));
  const issued = await issueAll();
  await logged;
  issued.push(...(await issueAll()));
  await second.close();
  expect(new Set(issued.map(({ serialNumber }) => serialNumber)).size).toBe(2 * valid.length);
  expect(lines).toEqual(['signing_thread.failed']);
});
