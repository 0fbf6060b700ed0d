import { UpstreamFailed } from '@certloop/contracts';
import { expect, test } from 'vitest';
import { isUntrusted, networkReason } from './network-reason.js';

const withCode = (code: string) => Object.assign(new Error('words'), { code });

test.each([
  [
    'words for a code of the HTTP client',
    new TypeError('fetch failed', { cause: withCode('UND_ERR_SOCKET') }),
    'the connection was closed',
  ],
  [
    'the code of the innermost cause',
    new TypeError('fetch failed', { cause: withCode('ECONNREFUSED') }),
    'ECONNREFUSED',
  ],
  ['a message where there is no code', new Error('odd'), 'odd'],
  ['a time limit', Object.assign(new Error('x'), { name: 'TimeoutError' }), 'no answer in time'],
  [
    'a refusal of our own by its words',
    new UpstreamFailed('h is not called', { code: 'target_refused' }),
    'h is not called',
  ],
  ['a value that is not an error', 'x', 'no answer'],
])('%s', (_, error, expected) => {
  expect(networkReason(error)).toBe(expected);
});

test('distinguishes a chain without a known root from other TLS errors', () => {
  expect(['SELF_SIGNED_CERT_IN_CHAIN', 'CERT_HAS_EXPIRED'].map(isUntrusted)).toEqual([true, false]);
});
