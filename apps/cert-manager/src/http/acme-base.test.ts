import { describe, expect, test } from 'vitest';
import { acmeBaseOf, statedAcmeBase } from './acme-base.js';

const acmeUrl = 'https://acme.example.org';
const publicUrl = 'https://certs.example.org/manager';

interface Sent {
  readonly host?: string;
  readonly encrypted?: boolean;
  readonly localAddress?: string;
}

function request({ host, encrypted = false, localAddress = '192.0.2.7' }: Sent) {
  const forwarded = {
    forwarded: 'host=evil.test;proto=https',
    'x-forwarded-host': 'evil.test',
    'x-forwarded-proto': 'https',
    'x-forwarded-port': '99',
  };
  return {
    headers: { ...forwarded, ...(host !== undefined && { host }) },
    socket: { encrypted, localAddress, localPort: 3000 },
  };
}

describe('the base of ACME links', () => {
  test.each([
    [{ acmeUrl, publicUrl }, acmeUrl],
    [{ publicUrl }, publicUrl],
    [{}, undefined],
  ])('is stated by %j', (address, stated) => {
    expect(statedAcmeBase(address)).toBe(stated);
    if (stated !== undefined) expect(acmeBaseOf(address, request({ host: 'other.test' }))).toBe(stated);
  });

  test.each<[Sent, string]>([
    [{ host: 'certs.test' }, 'http://certs.test'],
    [{ host: 'certs.test:3444', encrypted: true }, 'https://certs.test:3444'],
    [{ host: '127.0.0.1:3000' }, 'http://127.0.0.1:3000'],
    [{ host: '[::1]:3444', encrypted: true }, 'https://[::1]:3444'],
    [{}, 'http://192.0.2.7:3000'],
    [{ host: '', localAddress: '::1' }, 'http://[::1]:3000'],
    [{ host: 'certs.test/path' }, 'http://192.0.2.7:3000'],
    [{ host: 'user@certs.test' }, 'http://192.0.2.7:3000'],
    [{ host: 'certs.test"<>' }, 'http://192.0.2.7:3000'],
  ])('follows Host and the listener, and no forwarded field: %j', (sent, base) => {
    expect(acmeBaseOf({}, request(sent))).toBe(base);
  });
});
