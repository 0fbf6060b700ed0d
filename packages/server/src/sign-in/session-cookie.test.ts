import { describe, expect, test } from 'vitest';
import { createDeviceCookie, createSessionCookie } from './session-cookie.js';

describe('over TLS', () => {
  const cookie = createSessionCookie({ plainName: 'cm_session', isSecure: true });

  test('is limited to this host and to TLS', () => {
    expect(cookie.give('abc')).toBe('__Host-cm_session=abc; Path=/; HttpOnly; SameSite=Strict; Secure');
    expect(cookie.take()).toBe('__Host-cm_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict; Secure');
  });
});

describe('without TLS', () => {
  const cookie = createSessionCookie({ plainName: 'cm_session', isSecure: false });

  test('has a name that browsers accept without TLS', () => {
    expect(cookie.give('abc')).toBe('cm_session=abc; Path=/; HttpOnly; SameSite=Strict');
  });

  test.each([
    ['alone', 'cm_session=abc', 'abc'],
    ['among others', 'a=b; cm_session=abc; sessionid=1', 'abc'],
    ['with an equals sign', 'cm_session=a=c', 'a=c'],
    ['within a longer cookie name', 'xcm_session=abc', undefined],
    ['by the name that it has over TLS', '__Host-cm_session=abc', undefined],
    ['not at all', 'a=b', undefined],
    ['in no header', undefined, undefined],
  ])('is found %s', (_, header, secret) => {
    expect(cookie.read(header)).toBe(secret);
  });
});

test('a device is remembered for 30 days', () => {
  expect(createDeviceCookie({ plainName: 'cm_device', isSecure: false }).give('abc')).toBe(
    'cm_device=abc; Max-Age=2592000; Path=/; HttpOnly; SameSite=Strict',
  );
});
