import { describe, expect, test } from 'vitest';
import { maskSecrets, putSecretsIn, takeSecretsOut } from './stored-config.js';

const paths = ['eab.hmacKey', 'challenge.dns.authHeader'];
const config = { directoryUrl: 'https://ca.test/dir', eab: { kid: 'k', hmacKey: 'geheim' } };

describe('secrets of a configuration', () => {
  test('are removed, and the rest remains', () => {
    const taken = takeSecretsOut(config, paths);
    expect(taken.config).toEqual({ directoryUrl: 'https://ca.test/dir', eab: { kid: 'k' } });
    expect([...taken.secrets]).toEqual([['eab.hmacKey', 'geheim']]);
  });

  test('the original configuration is unchanged', () => {
    takeSecretsOut(config, paths);
    expect(config.eab.hmacKey).toBe('geheim');
  });

  test('restore the configuration when they are merged again', () => {
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
    ['the place is not an object', { eab: 'text' }],
    ['the place is a list', { eab: [] }],
  ])('a secret without a matching member is ignored: %s', (_, elsewhere) => {
    expect(putSecretsIn(elsewhere, [['eab.hmacKey', 'geheim']])).toEqual(elsewhere);
  });
});
