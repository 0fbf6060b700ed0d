import { describe, expect, test } from 'vitest';
import { deviceSecretOf, signInPlaces } from './sign-in-places.js';

const secret = 'A-_z'.repeat(11).slice(0, 43);

test.each([
  ['a device in a network', '192.0.2.1', secret, ['device', 'network']],
  ['a network', '192.0.2.1', undefined, ['network']],
  ['a device at an unknown address', '', secret, ['device']],
  ['an unknown address, which many share', '', undefined, []],
])('%s', (_, address, deviceSecret, kinds) => {
  const places = signInPlaces(address, deviceSecret);
  expect(places.map(({ kind }) => kind)).toEqual(kinds);
  for (const { kind, key } of places) expect(key).toMatch(new RegExp(`^${kind}:.{1,64}$`));
  expect(JSON.stringify(places)).not.toContain(secret);
});

test('one IPv6 host has one network', () => {
  expect(signInPlaces('2001:db8::1', undefined)).toEqual(signInPlaces('2001:db8::2', undefined));
});

describe('the secret of a device', () => {
  const browser = { fetchSite: 'same-origin' };
  test('is that of its cookie', () => {
    expect(deviceSecretOf(secret, browser)).toBe(secret);
    expect(deviceSecretOf(secret, { fetchSite: undefined })).toBe(secret);
  });

  test.each([undefined, '', `${secret}A`, `${secret.slice(1)}é`])(
    'is new in a browser with the cookie %s',
    (cookie) => {
      expect(deviceSecretOf(cookie, browser)).toMatch(/^[\w-]{43}$/);
      expect(deviceSecretOf(cookie, browser)).not.toBe(cookie);
    },
  );

  test('is absent for a program', () => {
    expect(deviceSecretOf(undefined, { fetchSite: undefined })).toBeUndefined();
  });
});
