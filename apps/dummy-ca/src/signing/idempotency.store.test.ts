import { expect, test } from 'vitest';
import { createCertificatesStore } from '../authority/certificates.store.js';
import { createIdempotencyStore } from './idempotency.store.js';

const now = new Date('2026-11-21T10:00:00Z');
const request = { csr: 'text', action: 'sign', validity_days: 365 } as const;

test('the last 10 000 keys are remembered', async () => {
  const certificates = createCertificatesStore({ count: 100_000, octets: 100_000_000 });
  const asked = createIdempotencyStore(certificates, { now: () => now });
  let count = 0;
  const ask = async (key: string) => {
    const issue = async () => {
      const issued = {
        id: `certificate-${count++}`,
        certificatePem: 'pem',
        createdAt: now,
        serialNumber: String(count),
        issuer: 'root' as const,
        notAfter: now,
      };
      certificates.insert(issued);
      return issued;
    };
    return (await asked.answer(key, request, issue)).id;
  };
  for (let key = 0; key <= 10_000; key += 1) await ask(`key-${key}`);
  expect(await ask('key-1')).toBe('certificate-1');
  expect(await ask('key-0')).toBe('certificate-10001');
  expect(await ask('key-10000')).toBe('certificate-10000');
});
