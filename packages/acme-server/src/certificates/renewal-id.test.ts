import { parseCertificate } from '@certloop/crypto';
import { describe, expect, test } from 'vitest';
import { renewalIdOf, requireRenewalId } from './renewal-id.js';

// The certificate of RFC 9773, Appendix A, and its identifier of §4.1.
const example = `MIIBQzCB66ADAgECAgUAh2VDITAKBggqhkjOPQQDAjAVMRMwEQYDVQQDEwpFeGFtcGxlIENBMCIYDzAwMDEwMTAxMDAwMDAw
WhgPMDAwMTAxMDEwMDAwMDBaMBYxFDASBgNVBAMTC2V4YW1wbGUuY29tMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEeBZu7cbpAYNXZLbb
h8rNIzuOoqOOtmxA1v7cRm//AwyMwWxyHz4zfwmBhcSrf47NUAFf0qzLQ2PPQxdTXREYEKMjMCEwHwYDVR0jBBgwFoAUaYhba4dGQEHhs3uE
e6CuLN4ByNQwCgYIKoZIzj0EAwIDRwAwRAIge09+S5TZAlw5tgtiVvuERV6cT4mfutXIlwTb+FYN/8oCIClDsqBklhB9KAelFiYt9+6FDj3z
4KGVelYM5MdsO3pK`;

describe('renewalIdOf', () => {
  test('equals the example of RFC 9773', () => {
    const id = renewalIdOf(parseCertificate(Buffer.from(example, 'base64')));
    expect(id).toBe('aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE');
    expect(requireRenewalId(id)).toBe(id);
  });
});

describe('requireRenewalId', () => {
  test.each([[''], ['abc'], ['a.b.c'], ['.b'], ['a.'], ['a=.b'], ['a b.c'], [`${'a'.repeat(129)}.b`]])(
    'refuses %j',
    (text) => {
      expect(() => requireRenewalId(text)).toThrow(
        expect.objectContaining({ type: 'malformed', status: 400 }),
      );
    },
  );
});
