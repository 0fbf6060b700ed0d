import type { CsrProfile } from '@certloop/contracts';
import { type Csr, lintCsr } from '@certloop/crypto';

const maxFaults = 5;

/** Why the rules of the profile refuse a CSR, its signature left out; undefined for one without errors. */
export function lintFault(csr: Csr, profile: CsrProfile): string | undefined {
  const errors = lintCsr(csr, { profile }).filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return undefined;
  return errors
    .slice(0, maxFaults)
    .map(({ message, code, rule }) => `${message} (${code}, ${rule})`)
    .join('; ');
}
