import { expect, test } from 'vitest';
import { outlookOf, type RenewalFacts, scheduleOf } from './renewal-outlook.js';

const now = new Date('2026-03-01T00:00:00Z');
const certificate = {
  id: 'c1',
  notBefore: now,
  expiresAt: new Date('2026-05-30T00:00:00Z'),
  providerId: 'p1',
  revokedAt: null,
};
const facts: RenewalFacts = {
  renewalEnabled: true,
  renewAfterPermille: null,
  providerId: null,
  hasCsr: true,
  certificate,
};

test.each<[string, Partial<RenewalFacts>, string]>([
  ['switched off', { renewalEnabled: false }, 'switched_off'],
  ['switched off, and nothing there', { renewalEnabled: false, certificate: undefined }, 'no_certificate'],
  ['switched off, without a CSR', { renewalEnabled: false, hasCsr: false }, 'no_csr'],
  [
    'switched off, without CSR and provider',
    { renewalEnabled: false, hasCsr: false, certificate: { ...certificate, providerId: null } },
    'no_csr',
  ],
  [
    'switched off, without a provider',
    { renewalEnabled: false, certificate: { ...certificate, providerId: null } },
    'no_provider',
  ],
  [
    'switched off, with a compromised key',
    { renewalEnabled: false, isKeyCompromised: true },
    'compromised_key',
  ],
  ['no certificate yet', { certificate: undefined }, 'no_certificate'],
  ['the CSR was deleted', { hasCsr: false }, 'no_csr'],
  ['a compromised key', { isKeyCompromised: true }, 'compromised_key'],
  ['an ACME client renews it', { isRenewedByClient: true }, 'renewed_by_client'],
  [
    'an ACME client renews it, switched off, without a CSR',
    { isRenewedByClient: true, renewalEnabled: false, hasCsr: false },
    'renewed_by_client',
  ],
  ['no provider to ask', { certificate: { ...certificate, providerId: null } }, 'no_provider'],
])('%s → not renewed', (_, change, hindrance) => {
  expect(outlookOf({ ...facts, ...change })).toEqual({ isPlanned: false, hindrance });
});

test('the newest certificate is renewed by its own provider, after two thirds of its lifetime', () => {
  expect(outlookOf(facts)).toMatchObject({
    isPlanned: true,
    certificateId: 'c1',
    providerId: 'p1',
    plan: { rule: 'two_thirds', fraction: 2 / 3 },
  });
});

test('a certificate without a provider is renewed by the provider of the FQDN', () => {
  const imported = { ...facts, providerId: 'p2', certificate: { ...certificate, providerId: null } };
  expect(outlookOf(imported)).toMatchObject({ isPlanned: true, providerId: 'p2' });
});

test('the share of the lifetime that the FQDN sets is used', () => {
  expect(outlookOf({ ...facts, renewAfterPermille: 250 })).toMatchObject({
    plan: { rule: 'fraction', fraction: 0.25 },
  });
});

test('a revoked certificate is renewed at once, for any share of the FQDN and any window of its CA', () => {
  const revokedAt = new Date('2026-03-02T00:00:00Z');
  const window = { start: new Date('2026-04-01T00:00:00Z'), end: new Date('2026-04-02T00:00:00Z') };
  const revoked = { ...facts, renewAfterPermille: 250, window, certificate: { ...certificate, revokedAt } };
  expect(outlookOf(revoked)).toEqual({
    isPlanned: true,
    certificateId: 'c1',
    providerId: 'p1',
    plan: { rule: 'revoked', earliest: revokedAt, latest: revokedAt, renewAt: revokedAt },
  });
});

test.each([
  ['to come', '2026-03-02T00:00:00.000Z', '2026-03-02T00:00:00.000Z'],
  ['passed', '2026-02-28T23:59:59.000Z', '2026-03-01T00:00:00.000Z'],
])('a moment that has %s', (_, renewAt, scheduledAt) => {
  const at = new Date(renewAt);
  const plan = { rule: 'half', earliest: at, latest: at, renewAt: at } as const;
  expect(scheduleOf(plan, now).toISOString()).toBe(scheduledAt);
});
