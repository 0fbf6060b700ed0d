import { csrLabels, describeRsaKey, parseCsr, parsePem, type RsaFacts } from '@certloop/crypto';
import { createGrowingCache } from '@certloop/server';
import { requireStrongKey } from '../judging/csr-policy.js';
import type { CsrRow } from './csrs.repository.js';

const maxKeys = 10_000;

/**
 * A function that throws InvalidInput for a stored CSR with a weak RSA key, as one from before such keys were refused.
 * It judges each key once, as that takes 0.2 ms, and remembers the last 10,000.
 */
export function createKeyValidator(): (csr: Pick<CsrRow, 'csrPem' | 'spkiSha256' | 'description'>) => void {
  const judged = createGrowingCache<RsaFacts>(maxKeys);
  return ({ csrPem, spkiSha256, description }) => {
    // other kinds of keys need not be parsed to know that
    if (!description.includes('"publicKeyAlgorithm":"RSA')) return;
    const facts = judged.get(spkiSha256) ?? describeRsaKey(parseCsr(parsePem(csrPem, csrLabels)).spkiDer);
    if (facts !== undefined) judged.set(spkiSha256, facts);
    requireStrongKey(facts);
  };
}
