import type { ProviderKindName } from '@certloop/contracts';
import type { ProofType } from '../../acme/orders/order-plan.js';
import { type Config, maskSecrets, type SealedSecrets } from '../changes/stored-config.js';
import { kindOf } from '../provider-kinds.js';
import { missingKey } from '../provider-state.js';
import { acmeConfigSchema } from './acme-config.js';

/** How a provider's names are proven, without secrets and internal addresses, so that every user may read it. */
export type ChallengeTerms =
  | { readonly kind: 'none' }
  /** The configuration lacks a key, or has one that is not valid. */
  | { readonly kind: 'incomplete'; readonly missing: string }
  | { readonly kind: 'http-01' }
  | { readonly kind: 'dns-01'; readonly dns: DnsTerms }
  | { readonly kind: 'manual' };

/** Where TXT records are written. */
export interface DnsTerms {
  readonly backend: 'webhook' | 'rfc2136' | 'acme-dns';
  /** Name that the `_acme-challenge` names point to by CNAME, if they are to. */
  readonly target?: string | undefined;
}

interface StoredProvider {
  readonly kind: ProviderKindName | null;
  readonly name: string;
  readonly config: Config | null;
  readonly secrets: SealedSecrets;
}

/** Kinds of challenge that are met, the preferred one first. */
export const provingTypes = {
  'http-01': ['http-01'],
  'dns-01': ['dns-01'],
  manual: ['dns-01', 'http-01'],
} as const satisfies Readonly<Record<string, readonly ProofType[]>>;

/** How the names of a provider's orders are proven. */
export function challengeTermsOf({ config, secrets, ...provider }: StoredProvider): ChallengeTerms {
  const providerKind = kindOf(provider);
  if (providerKind.issuance === 'direct') return { kind: 'none' };
  const shown = maskSecrets(config ?? {}, secrets);
  const missing = missingKey(providerKind, shown);
  if (missing !== undefined) return { kind: 'incomplete', missing };
  const { challenge } = acmeConfigSchema.parse(shown);
  const { type: kind, dns } = challenge;
  if (kind !== 'dns-01' || dns === undefined) return { kind: kind === 'manual' ? 'manual' : 'http-01' };
  const target = dns.kind === 'acme-dns' ? dns.acmeDns?.fullDomain : dns.alias;
  return { kind, dns: { backend: dns.kind, target } };
}
