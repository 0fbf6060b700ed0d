import { describe, expect, test } from 'vitest';
import { providerKinds } from './provider-kinds.js';
import { followEnvironment, missingKey } from './provider-state.js';

const kind = providerKinds['dummy-ca'];
const byHand = kind.fromAddress('http://hand.test');
const byEnvironment = kind.fromAddress('http://old.test');

describe('a provider and the address in the environment', () => {
  test('never configured: becomes configured and enabled', () => {
    const change = followEnvironment(kind, { config: null, environmentAddress: null }, 'http://new.test');
    expect(change).toEqual({
      config: kind.fromAddress('http://new.test'),
      environmentAddress: 'http://new.test',
      enabled: true,
    });
  });

  test('address from the environment: is updated, and the rest is unchanged', () => {
    const stored = {
      config: { ...byEnvironment, validityDays: 7 },
      environmentAddress: 'http://old.test',
    };
    expect(followEnvironment(kind, stored, 'http://new.test')).toEqual({
      config: { ...stored.config, baseUrl: 'http://new.test' },
      environmentAddress: 'http://new.test',
    });
  });

  test.each([
    ['no address in the environment', { config: null, environmentAddress: null }, undefined],
    ['set by hand', { config: byHand, environmentAddress: null }, 'http://new.test'],
    ['the same address', { config: byEnvironment, environmentAddress: 'http://old.test' }, 'http://old.test'],
  ])('%s: is unchanged', (_, stored, address) => {
    expect(followEnvironment(kind, stored, address)).toBeUndefined();
  });
});

describe('the missing members of a configuration', () => {
  test.each([
    ['all of it', 'dummy-ca', {}, 'baseUrl'],
    ['nothing', 'dummy-ca', byHand, undefined],
    ['the consent', 'acme', { directoryUrl: 'https://ca.test' }, 'termsOfServiceAgreed'],
  ] as const)('%s', (_, name, config, missing) => {
    expect(missingKey(providerKinds[name], config)).toBe(missing);
  });
});
