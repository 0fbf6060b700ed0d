import { describe, expect, test } from 'vitest';
import { calendar } from './calendar.js';
import {
  type CalendarRule,
  publicLifetimeRule,
  type RuleEffect,
  rulesInForce,
  startOf,
} from './calendar-rules.js';

// written out a second time, so that no date changes unnoticed
const dates: readonly (readonly [
  code: string,
  from: string,
  subject: CalendarRule['subject'],
  effect: RuleEffect,
])[] = [
  ['internal_names', '2015-11-01', 'public_cas', { kind: 'no_names', names: 'internal' }],
  ['public_398_days', '2020-09-01', 'public_cas', { kind: 'max_days', days: 398 }],
  ['mass_revocation_plans', '2025-08-25', 'public_cas', { kind: 'other' }],
  [
    'lets_encrypt_shortlived',
    '2026-01-15',
    'lets_encrypt',
    { kind: 'profile_days', profile: 'shortlived', days: 7 },
  ],
  ['lets_encrypt_classic_no_client_auth', '2026-02-11', 'lets_encrypt', { kind: 'no_client_auth' }],
  ['public_200_days', '2026-03-15', 'public_cas', { kind: 'max_days', days: 200 }],
  ['public_reuse_200_days', '2026-03-15', 'public_cas', { kind: 'proof_reuse', hours: 4800 }],
  ['dnssec_validated', '2026-03-15', 'public_cas', { kind: 'other' }],
  ['no_reverse_zones', '2026-03-15', 'public_cas', { kind: 'no_names', names: 'reverse_zone' }],
  ['google_no_client_auth', '2026-04-13', 'google', { kind: 'no_client_auth' }],
  [
    'lets_encrypt_tlsserver_45_days',
    '2026-05-13',
    'lets_encrypt',
    { kind: 'profile_days', profile: 'tlsserver', days: 45 },
  ],
  ['lets_encrypt_no_client_auth', '2026-07-08', 'lets_encrypt', { kind: 'no_client_auth' }],
  ['lets_encrypt_merkle_trees', '2027-01-01', 'lets_encrypt', { kind: 'other' }],
  [
    'lets_encrypt_classic_64_days',
    '2027-02-10',
    'lets_encrypt',
    { kind: 'profile_days', profile: 'classic', days: 64 },
  ],
  ['lets_encrypt_reuse_10_days', '2027-02-10', 'lets_encrypt', { kind: 'proof_reuse', hours: 240 }],
  ['sectigo_no_client_auth', '2027-02-10', 'sectigo', { kind: 'no_client_auth' }],
  ['digicert_no_client_auth', '2027-03-01', 'digicert', { kind: 'no_client_auth' }],
  ['public_100_days', '2027-03-15', 'public_cas', { kind: 'max_days', days: 100 }],
  ['public_reuse_100_days', '2027-03-15', 'public_cas', { kind: 'proof_reuse', hours: 2400 }],
  ['chrome_no_client_auth', '2027-03-15', 'chrome', { kind: 'no_client_auth' }],
  ['caa_parameters_bind', '2027-03-15', 'public_cas', { kind: 'other' }],
  ['no_mail_to_registry_contacts', '2027-03-15', 'public_cas', { kind: 'other' }],
  [
    'lets_encrypt_classic_45_days',
    '2028-02-16',
    'lets_encrypt',
    { kind: 'profile_days', profile: 'classic', days: 45 },
  ],
  ['lets_encrypt_reuse_7_hours', '2028-02-16', 'lets_encrypt', { kind: 'proof_reuse', hours: 7 }],
  ['no_proof_by_mail', '2028-03-15', 'public_cas', { kind: 'other' }],
  ['public_47_days', '2029-03-15', 'public_cas', { kind: 'max_days', days: 47 }],
  ['public_reuse_10_days', '2029-03-15', 'public_cas', { kind: 'proof_reuse', hours: 240 }],
];

test.each(dates)('%s from %s on', (code, from, subject, effect) => {
  const row = calendar.find((rule) => rule.code === code);
  expect(row).toMatchObject({ from, subject, effect });
  const start = startOf(from);
  expect(start.toISOString()).toBe(`${from}T00:00:00.000Z`);
  const codes = (at: Date) => rulesInForce(calendar, at).map((rule) => rule.code);
  expect(codes(start)).toContain(code);
  expect(codes(new Date(start.getTime() - 1))).not.toContain(code);
});

describe('the calendar', () => {
  test('has these rows alone, each once, by date', () => {
    expect(calendar.map(({ code }) => code)).toEqual(dates.map(([code]) => code));
    expect(new Set(calendar.map(({ code }) => code)).size).toBe(calendar.length);
    expect(calendar.map(({ from }) => from)).toEqual(calendar.map(({ from }) => from).toSorted());
  });

  test.each(calendar.map((rule) => [rule.code, rule] as const))(
    '%s names its source and how sure it is',
    (_, rule) => {
      const { from, source, checkedOn, certainty } = rule;
      expect(new URL(source).protocol).toBe('https:');
      expect(checkedOn).toMatch(/^2026-11-2[68]$/);
      expect(certainty === 'in_force').toBe(from <= checkedOn);
      expect(rule.rule).toMatch(/^[A-Z].*[^.]$/);
    },
  );
});

test.each([
  ['2020-08-31T23:59:59Z', undefined],
  ['2020-09-01T00:00:00Z', 398],
  ['2026-03-14T23:59:59Z', 398],
  ['2026-03-15T00:00:00Z', 200],
  ['2027-03-14T23:59:59Z', 200],
  ['2027-03-15T00:00:00Z', 100],
  ['2029-03-14T23:59:59Z', 100],
  ['2029-03-15T00:00:00Z', 47],
  ['2040-01-01T00:00:00Z', 47],
])('a public certificate of %s lasts for at most %s days', (at, days) => {
  expect(publicLifetimeRule(calendar, new Date(at))?.effect.days).toBe(days);
});
