import { describe, expect, test } from '@jest/globals';
import { maskSecrets, putSecretsIn, takeSecretsOut } from './stored-config.js';

const paths = ['eab.hmacKey', 'challenge.dns.authHeader'];
const config = { directoryUrl: 'https://ca.test/dir', eab: { kid: 'k', hmacKey: 'geheim' } };

describe('secrets of a configuration', () => {
  test('are taken out and leave the rest', () => {
    const taken = takeSecretsOut(config, paths);
    expect(taken.config).toEqual({ directoryUrl: 'https://ca.test/dir', eab: { kid: 'k' } });
    expect([...taken.secrets]).toEqual([['eab.hmacKey', 'geheim']]);
  });

  test('the configuration that they were taken from stays as it was', () => {
    takeSecretsOut(config, paths);
    expect(config.eab.hmacKey).toBe('geheim');
  });

  test('put in again give the whole', () => {
    const taken = takeSecretsOut(config, paths);
    expect(putSecretsIn(taken.config, taken.secrets)).toEqual(config);
  });

  test('are shown as the mask', () => {
    const taken = takeSecretsOut(config, paths);
    expect(maskSecrets(taken.config, { 'eab.hmacKey': 'v1.k.a.b.c' })).toEqual({
      directoryUrl: 'https://ca.test/dir',
      eab: { kid: 'k', hmacKey: '********' },
    });
  });

  test.each([
    ['the place is gone', { directoryUrl: 'x' }],
    ['the place is no object', { eab: 'text' }],
    ['the place is a list', { eab: [] }],
  ])('one without a place is left out: %s', (_, elsewhere) => {
    expect(putSecretsIn(elsewhere, [['eab.hmacKey', 'geheim']])).toEqual(elsewhere);
  });
});
