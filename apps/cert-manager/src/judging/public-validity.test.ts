import { expect, test } from 'vitest';
import { isPublicName, publicValidityDays, validityWarning } from './public-validity.js';

test.each([
  ['2026-03-14T23:59:59Z', 398],
  ['2026-03-15T00:00:00Z', 200],
  ['2027-03-14T23:59:59Z', 200],
  ['2027-03-15T00:00:00Z', 100],
  ['2029-03-14T23:59:59Z', 100],
  ['2029-03-15T00:00:00Z', 47],
  ['2040-01-01T00:00:00Z', 47],
])('since %s: %i days', (from, days) => {
  expect(publicValidityDays(new Date(from))).toBe(days);
});

test.each([
  ['www.certloop.dev', true],
  ['*.certloop.dev', true],
  ['attest', false],
  ['example', false],
  ['www.test', false],
  ['attest.dev', true],
  ['printer.local', false],
  ['www.example.org', false],
  ['myexample.org', true],
  ['nas.home.arpa', false],
  ['4.3.2.192.in-addr.arpa', false],
  ['*.2.192.in-addr.arpa', false],
  ['1.0.0.8.b.d.0.1.0.0.2.ip6.arpa', false],
  ['in-addr.arpa.certloop.dev', true],
  ['myin-addr.arpa', true],
  ['e164.arpa', true],
])('%s is public: %s', (hostname, isPublic) => {
  expect(isPublicName(hostname)).toBe(isPublic);
});

const notBefore = new Date('2026-11-21T00:00:00Z');
/** The last second of a certificate belongs to its lifetime (RFC 5280 §4.1.2.5), so this one lasts for exactly so many days. */
const lasting = (days: number, moreMs = 0) => ({
  notBefore,
  expiresAt: new Date(notBefore.getTime() + days * 86_400_000 - 1000 + moreMs),
});

const tooLong = 'lasts for 201 days, while public CAs may issue for 200';

test.each([
  ['a day more than allowed', 'www.certloop.dev', lasting(201), tooLong],
  ['as long as allowed', 'www.certloop.dev', lasting(200), undefined],
  ['a second more, which is a day', 'www.certloop.dev', lasting(200, 1000), tooLong],
  ['a part of a second more', 'www.certloop.dev', lasting(200, 1), tooLong],
  ['of a name that is not public', 'www.internal', lasting(365), undefined],
  ['of a reverse zone', '4.3.2.192.in-addr.arpa', lasting(365), undefined],
])('%s', (_, hostname, dates, warning) => {
  expect(validityWarning(hostname, dates)).toBe(warning);
});
