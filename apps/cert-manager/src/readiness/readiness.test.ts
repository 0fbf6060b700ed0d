import type { BreakCode } from '@certloop/contracts';
import { calendar, startOf } from '@certloop/crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { InventoryName, InventoryProvider } from './inventory-name.js';
import { handworkOf, type Readiness, readinessOf } from './readiness.js';

const day = 86_400_000;
const letsEncrypt = "CN=R12,O=Let's Encrypt,C=US";
const provider: InventoryProvider = {
  id: 'p1',
  displayName: 'A CA',
  isPublic: true,
  subject: undefined,
  profile: undefined,
  isManual: false,
  givesAdvice: undefined,
};
const atLetsEncrypt: InventoryProvider = { ...provider, subject: 'lets_encrypt', givesAdvice: true };
const ownCa: InventoryProvider = { ...provider, isPublic: false, givesAdvice: false };

/** A name with a certificate of a public CA that lasts for exactly so many days. */
function nameFor(days: number, change: Partial<InventoryName> = {}): InventoryName {
  const notBefore = new Date('2026-11-01T00:00:00Z');
  return {
    fqdnId: 'f1',
    spaceId: 's1',
    fqdn: 'www.certloop.dev',
    notBefore,
    expiresAt: new Date(notBefore.getTime() + days * day - 1000),
    issuer: 'CN=CA,O=Some Public CA',
    renewedBy: 'certloop',
    isPublic: true,
    isForClients: false,
    outlook: 'planned',
    renewAfterPermille: null,
    provider,
    ...change,
  };
}

const judge = (names: readonly InventoryName[], on: string): Readiness =>
  readinessOf(names, calendar, startOf(on));
const breaksAt = (name: InventoryName, on: string): string[] =>
  judge([name], on).breaks.map(({ code, rule }) => `${code} ${rule}`);
const only = (code: BreakCode, name: InventoryName, on: string) =>
  breaksAt(name, on).filter((one) => one.startsWith(`${code} `));

describe('a lifetime', () => {
  test.each<[string, InventoryName, string, string[]]>([
    ['of 200 days, on the last day before', nameFor(200), '2027-03-14', []],
    ['of 200 days, with 100', nameFor(200), '2027-03-15', ['public_100_days']],
    ['of 100 days, with 100', nameFor(100), '2027-03-15', []],
    ['of 100 days, with 47', nameFor(100), '2029-03-15', ['public_47_days']],
    [
      'of a second more',
      nameFor(100, { expiresAt: new Date('2027-02-09T00:00:00Z') }),
      '2027-03-15',
      ['public_100_days'],
    ],
    ['of a private CA', nameFor(365, { isPublic: false, provider: ownCa }), '2029-03-15', []],
    [
      'of a public CA, where a private one is asked next',
      nameFor(365, { provider: ownCa }),
      '2029-03-15',
      [],
    ],
    [
      'of a public CA, without a provider',
      nameFor(365, { provider: undefined }),
      '2026-11-28',
      ['public_200_days'],
    ],
    ['by the usual profile, a day before', nameFor(90, { provider: atLetsEncrypt }), '2027-02-09', []],
    [
      'by the usual profile',
      nameFor(90, { provider: atLetsEncrypt }),
      '2027-02-10',
      ['lets_encrypt_classic_64_days'],
    ],
    [
      'by the usual profile, the shorter rule',
      nameFor(90, { provider: atLetsEncrypt }),
      '2029-03-15',
      ['lets_encrypt_classic_45_days'],
    ],
    [
      'by a profile',
      nameFor(90, { provider: { ...atLetsEncrypt, profile: 'tlsserver' } }),
      '2026-11-28',
      ['lets_encrypt_tlsserver_45_days'],
    ],
    [
      'by a profile that no rule names',
      nameFor(90, { provider: { ...atLetsEncrypt, profile: 'other' } }),
      '2029-03-15',
      ['public_47_days'],
    ],
    [
      'of Let’s Encrypt, renewed elsewhere',
      nameFor(90, { issuer: letsEncrypt, provider: undefined }),
      '2027-02-10',
      ['lets_encrypt_classic_64_days'],
    ],
    ['of 6 days', nameFor(7, { provider: atLetsEncrypt }), '2029-03-15', []],
  ])('%s', (_, name, on, rules) => {
    expect(only('lifetime_too_long', name, on)).toEqual(rules.map((rule) => `lifetime_too_long ${rule}`));
  });
});

describe('a lead time', () => {
  test.each<[string, InventoryName, string, string[]]>([
    ['of a third of 200 days is shorter than 100', nameFor(200), '2027-03-15', []],
    [
      'of a third of 200 days is longer than 47',
      nameFor(200),
      '2029-03-15',
      ['lead_time_too_long public_47_days'],
    ],
    [
      'of half of 200 days is 100',
      nameFor(200, { renewAfterPermille: 500 }),
      '2027-03-15',
      ['lead_time_too_long public_100_days'],
    ],
    ['of a tenth of 47 days is more than three', nameFor(200, { renewAfterPermille: 900 }), '2029-03-15', []],
    [
      'of 6 % of 47 days is less than three',
      nameFor(200, { renewAfterPermille: 940 }),
      '2029-03-15',
      ['lead_time_too_short public_47_days'],
    ],
    ['of a lifetime that stays is not judged', nameFor(40, { renewAfterPermille: 950 }), '2029-03-15', []],
  ])('%s', (_, name, on, breaks) => {
    expect(breaksAt(name, on).filter((one) => one.startsWith('lead_time'))).toEqual(breaks);
  });
});

describe('a certificate for clients', () => {
  const clients = { isForClients: true };
  test.each<[string, Partial<InventoryName>, string, string[]]>([
    ['of a CA without a date of its own, before Chrome’s', {}, '2027-03-14', []],
    ['of a CA without a date of its own', {}, '2027-03-15', ['chrome_no_client_auth']],
    ['of Let’s Encrypt', { issuer: letsEncrypt }, '2026-11-28', ['lets_encrypt_classic_no_client_auth']],
    ['of Google', { issuer: 'CN=WR1,O=Google Trust Services,C=US' }, '2026-11-28', ['google_no_client_auth']],
    ['of Sectigo, before', { issuer: 'CN=S,O=Sectigo Limited,C=GB' }, '2027-02-09', []],
    ['of Sectigo', { issuer: 'CN=S,O=Sectigo Limited,C=GB' }, '2027-02-10', ['sectigo_no_client_auth']],
    ['of DigiCert', { issuer: 'CN=D,O=DigiCert Inc,C=US' }, '2027-03-01', ['digicert_no_client_auth']],
    ['of a private CA', { isPublic: false, provider: ownCa }, '2029-03-15', []],
  ])('%s', (_, change, on, rules) => {
    const name = nameFor(40, { ...clients, ...change });
    expect(only('client_auth', name, on)).toEqual(rules.map((rule) => `client_auth ${rule}`));
  });
});

describe('a name', () => {
  test.each<[string, Partial<InventoryName>, string[]]>([
    ['printer', {}, ['internal_names']],
    ['nas.local', {}, ['internal_names']],
    ['4.3.2.192.in-addr.arpa', {}, ['no_reverse_zones']],
    ['www.certloop.dev', {}, []],
    ['printer', { isPublic: false }, ['internal_names']],
    ['printer', { isPublic: false, provider: ownCa }, []],
    ['printer', { isPublic: false, provider: undefined }, []],
    ['printer', { provider: undefined }, ['internal_names']],
  ])('%s with %j', (fqdn, change, rules) => {
    expect(only('name_not_certified', nameFor(40, { ...change, fqdn }), '2026-11-28')).toEqual(
      rules.map((rule) => `name_not_certified ${rule}`),
    );
  });
});

describe('a provider', () => {
  test.each<[string, InventoryProvider, string, string[]]>([
    ['whose CA was not asked', provider, '2026-11-28', []],
    [
      'whose CA gives no advice',
      { ...provider, givesAdvice: false },
      '2027-03-15',
      ['no_renewal_information public_100_days'],
    ],
    ['of a private CA', ownCa, '2027-03-15', []],
    ['without a profile, before', atLetsEncrypt, '2027-02-09', []],
    ['without a profile', atLetsEncrypt, '2027-02-10', ['no_profile lets_encrypt_classic_64_days']],
    ['with a profile', { ...atLetsEncrypt, profile: 'classic' }, '2027-02-10', []],
  ])('%s', (_, asked, on, breaks) => {
    expect(breaksAt(nameFor(40, { provider: asked }), on)).toEqual(breaks);
  });
});

test.each<[string, Partial<InventoryName>, ReturnType<typeof handworkOf>]>([
  ['renewed', {}, undefined],
  ['forbidden by a policy', { outlook: 'forbidden' }, undefined],
  ['whose provider is disabled', { outlook: 'provider_off' }, undefined],
  ['without a CSR', { outlook: 'no_csr' }, 'no_csr'],
  ['without a provider', { outlook: 'no_provider', provider: undefined }, 'no_provider'],
  ['with renewal off', { outlook: 'switched_off' }, 'renewal_off'],
  ['with proofs by people', { provider: { ...provider, isManual: true } }, 'manual_proof'],
  [
    'with proofs by people and renewal off',
    { outlook: 'switched_off', provider: { ...provider, isManual: true } },
    'manual_proof',
  ],
])('a name %s needs a hand: %s', (_, change, code) => {
  expect(handworkOf(nameFor(40, change))).toBe(code);
});

test('work by hand is counted in hours a month, with the lifetime of today and with the new one', () => {
  const byHand = nameFor(200, { outlook: 'switched_off' });
  const { handwork, capacity } = judge([byHand, byHand, nameFor(90)], '2027-03-15');
  // two names, each after two thirds of 100 days, in a month of 30.4375 days: half an hour each time
  expect(handwork).toMatchObject({
    names: 2,
    minutesPerRenewal: 30,
    renewalsPerMonth: 0.9,
    hoursPerMonth: 0.5,
    hoursPerMonthToday: 0.2,
    reasons: [{ code: 'renewal_off', count: 2, action: 'Switch renewal on.' }],
  });
  expect(capacity).toEqual({ names: 1, renewalsPerDay: 0, renewalsPerDayToday: 0 });
});

test('names that others renew are neither work by hand nor renewed here', () => {
  const elsewhere = (['acme_client', 'elsewhere', 'elsewhere'] as const).map((renewedBy) =>
    nameFor(40, { renewedBy, outlook: 'no_csr', provider: undefined }),
  );
  const imported = nameFor(40, { renewedBy: 'none', outlook: 'no_csr', provider: undefined });
  const moved = nameFor(40, { renewedBy: 'certloop' });
  expect(judge([...elsewhere, imported, moved], '2026-11-28')).toMatchObject({
    renewedElsewhere: 3,
    handwork: { names: 1 },
    capacity: { names: 1 },
  });
});

const anyName = fc
  .record({
    days: fc.integer({ min: 1, max: 500 }),
    fqdn: fc.constantFrom('www.certloop.dev', 'printer', '1.in-addr.arpa'),
    isPublic: fc.boolean(),
    isForClients: fc.boolean(),
    issuer: fc.constantFrom(letsEncrypt, 'CN=CA', 'CN=S,O=Sectigo Limited'),
    renewedBy: fc.constantFrom('certloop', 'acme_client', 'elsewhere', 'none'),
    outlook: fc.constantFrom('planned', 'switched_off', 'no_csr', 'no_provider', 'forbidden'),
    renewAfterPermille: fc.option(fc.integer({ min: 100, max: 900 })),
    provider: fc.constantFrom(undefined, provider, atLetsEncrypt, ownCa),
  })
  .map(({ days, ...change }) => nameFor(days, change as Partial<InventoryName>));
const anyDay = fc
  .integer({ min: 0, max: 3650 })
  .map((days) => new Date(Date.parse('2026-11-28T00:00:00Z') + days * day));

test('every name is counted once as renewed here, by hand or elsewhere; samples are short', () => {
  fc.assert(
    fc.property(fc.array(anyName, { maxLength: 150 }), anyDay, (names, on) => {
      const found = readinessOf(names, calendar, on);
      expect(found.capacity.names + found.handwork.names + found.renewedElsewhere).toBe(names.length);
      const reasons = found.handwork.reasons.reduce((sum, { count }) => sum + count, 0);
      expect(reasons).toBe(found.handwork.names);
      for (const { count, names: shown, action } of [...found.breaks, ...found.handwork.reasons]) {
        expect(shown).toHaveLength(Math.min(100, count));
        expect(action).toMatch(/^[A-Z].*\.$/);
      }
      expect(found.handwork.hoursPerMonth).toBeGreaterThanOrEqual(found.handwork.hoursPerMonthToday);
    }),
    { numRuns: 50 },
  );
});

test('what breaks on a day breaks on every later day, and a private CA breaks nothing', () => {
  fc.assert(
    fc.property(anyName, anyDay, anyDay, (name, one, other) => {
      const [first, second] = one <= other ? [one, other] : [other, one];
      // the code stays, though its rule may give way to a stricter one
      const codes = (on: Date) => readinessOf([name], calendar, on).breaks.map(({ code }) => code);
      const later = codes(second);
      for (const code of codes(first)) expect(later).toContain(code);
      const ofOwnCa = { ...name, isPublic: false, provider: ownCa };
      expect(readinessOf([ofOwnCa], calendar, second).breaks).toEqual([]);
    }),
    { numRuns: 200 },
  );
});
