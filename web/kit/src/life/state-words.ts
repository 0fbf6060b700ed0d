import type { FqdnState, FqdnStatus, RenewalOutlook } from '@certloop/contracts/browser';

/** Words for each state of names, also where many names are counted. */
export const stateWords: Readonly<Record<FqdnState, string>> = {
  expired: 'expired',
  failing: 'failing',
  due: 'not renewed',
  unfinished: 'no certificate yet',
  valid: 'valid',
};

const dueWords: Readonly<Partial<Record<RenewalOutlook, string>>> = {
  switched_off: 'renewal is off',
  provider_off: 'provider is disabled',
  no_csr: 'needs a CSR',
  no_provider: 'needs a provider',
  compromised_key: 'needs a new key',
  renewed_by_client: 'ACME client is late',
};

/** Words for the state of one name: also what it needs, where it lacks a certificate or a renewal. */
export function nameWords({
  state,
  outlook,
  csr,
  coveredBy,
}: Pick<FqdnStatus, 'state' | 'outlook' | 'csr' | 'coveredBy'>): string {
  if (state === 'unfinished' && coveredBy !== undefined) return `covered by ${coveredBy.fqdn}`;
  if (state === 'unfinished' && csr === undefined) return 'needs a CSR';
  if (state === 'due') return dueWords[outlook] ?? 'renewal is late';
  return stateWords[state];
}
