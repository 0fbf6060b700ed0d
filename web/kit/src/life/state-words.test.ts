import type { FqdnStatus } from '@certloop/contracts/browser';
import { expect, test } from '@jest/globals';
import { nameWords } from './state-words.js';

const csr: FqdnStatus['csr'] = { id: 'c1', createdAt: '2026-03-01T12:00:00.000Z', findings: [] };

test.each([
  ['unfinished', 'switched_off', undefined, 'needs a CSR'],
  ['unfinished', 'no_certificate', undefined, 'needs a CSR'],
  ['unfinished', 'no_certificate', csr, 'no certificate yet'],
  ['unfinished', 'switched_off', csr, 'no certificate yet'],
  ['due', 'due', csr, 'renewal is late'],
  ['due', 'scheduled', csr, 'renewal is late'],
  ['due', 'unscheduled', csr, 'renewal is late'],
  ['due', 'running', csr, 'renewal is late'],
  ['due', 'switched_off', csr, 'renewal is off'],
  ['due', 'no_csr', undefined, 'needs a CSR'],
  ['due', 'no_provider', csr, 'needs a provider'],
  ['due', 'compromised_key', csr, 'needs a new key'],
  ['failing', 'retrying', csr, 'failing'],
  ['failing', 'no_csr', undefined, 'failing'],
  ['expired', 'switched_off', csr, 'expired'],
  ['valid', 'scheduled', csr, 'valid'],
  ['valid', 'no_csr', undefined, 'valid'],
] as const)('describes a name that is %s with the outlook %s', (state, outlook, newest, words) => {
  expect(nameWords({ state, outlook, csr: newest })).toBe(words);
});
