import { parseCertificate } from '@certloop/crypto';
import { describe, expect, test } from 'vitest';
import { renewalIdOf, requireRenewalId, suggestedWindow } from './renewal-window.js';

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

describe('suggestedWindow', () => {
  const notBefore = new Date('2026-01-01T00:00:00Z');
  test.each([
    ['90 days', '2026-04-01T00:00:00Z', '2026-03-02T00:00:00.000Z', '2026-03-03T19:12:00.000Z'],
    ['10 seconds', '2026-01-01T00:00:10Z', '2026-01-01T00:00:06.666Z', '2026-01-01T00:00:06.866Z'],
    ['1 second', '2026-01-01T00:00:01Z', '2026-01-01T00:00:00.666Z', '2026-01-01T00:00:00.686Z'],
  ])('lies within a validity of %s', (_, notAfter, start, end) => {
    expect(suggestedWindow({ notBefore, notAfter: new Date(notAfter) }, undefined)).toEqual({
      start: new Date(start),
      end: new Date(end),
    });
  });

  test('of a revoked certificate has just passed', () => {
    const at = new Date('2026-01-02T00:00:00Z');
    const window = suggestedWindow({ notBefore, notAfter: new Date('2026-04-01T00:00:00Z') }, at);
    expect(window).toEqual({ start: new Date('2026-01-01T23:59:59Z'), end: at });
  });
});
