import { readFileSync } from 'node:fs';
import type { FqdnStatus } from '@certloop/contracts/browser';
import { expect, test } from 'vitest';
import { nameWords, stateWords } from './state-words.js';

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
  ['due', 'provider_off', csr, 'provider is disabled'],
  ['due', 'compromised_key', csr, 'needs a new key'],
  ['failing', 'retrying', csr, 'failing'],
  ['failing', 'no_csr', undefined, 'failing'],
  ['expired', 'switched_off', csr, 'expired'],
  ['valid', 'scheduled', csr, 'valid'],
  ['valid', 'no_csr', undefined, 'valid'],
] as const)('describes a name that is %s with the outlook %s', (state, outlook, newest, words) => {
  expect(nameWords({ state, outlook, csr: newest })).toBe(words);
});

const page = readFileSync(new URL('../../../../../docs/watch.md', import.meta.url), 'utf8');
const rowsBelow = (head: string) => {
  const lines = page.slice(page.indexOf(head)).split('\n').slice(2);
  const end = lines.findIndex((line) => !line.startsWith('|'));
  return lines.slice(0, end).map((line) => line.replaceAll('`', '').split(/ ?\| ?/));
};

test('are those of docs/watch.md', () => {
  const rows = rowsBelow('| API and command line');
  expect(Object.fromEntries(rows.map(([, state, words]) => [state, words]))).toEqual(stateWords);
  for (const [, outlooks = '', words] of rowsBelow('| `outlook` | Console'))
    for (const outlook of outlooks.split(', ') as FqdnStatus['outlook'][])
      expect(nameWords({ state: 'due', outlook, csr })).toBe(words);
});
