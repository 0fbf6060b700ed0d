import type { CsrFinding, CsrProfile, ProviderKindName } from '@certloop/contracts';
import { type CsrLintOptions, lintStoredCsr } from '@certloop/crypto';
import { isPublicName } from '../judging/public-validity.js';
import type { Config } from '../providers/changes/stored-config.js';
import { kindOf } from '../providers/provider-kinds.js';

/** A provider, as far as the rules for CSRs depend on it. */
export interface LintingProvider {
  readonly name: string;
  readonly kind: ProviderKindName | null;
  readonly config: Config | null;
}

/** Options of the linter that depend on FQDN and provider. */
export type CsrRules = Pick<CsrLintOptions, 'profile' | 'fqdn' | 'maxNames'>;

/** The rules of the provider's CA; without a provider, those that fit the host name. */
export function csrRulesOf(provider: LintingProvider | undefined, fqdn: string | undefined): CsrRules {
  return { profile: profileOf(provider, fqdn), fqdn, maxNames: maxNamesOf(provider) };
}

function profileOf(provider: LintingProvider | undefined, fqdn: string | undefined): CsrProfile {
  if (provider !== undefined) return kindOf(provider).issuance === 'order' ? 'acme' : 'private';
  return fqdn === undefined || isPublicName(fqdn) ? 'public' : 'private';
}

// Let's Encrypt, Profiles: certificates of these have at most 25 names
const smallProfiles: readonly unknown[] = ['tlsserver', 'shortlived'];

function maxNamesOf(provider: LintingProvider | undefined): number | undefined {
  return smallProfiles.includes(provider?.config?.['profile']) ? 25 : undefined;
}

/** Findings about a stored CSR, by the rules of today. */
export function findingsOf(
  csr: { readonly csrPem: string; readonly spkiSha256: string },
  rules: CsrRules,
  compromisedKeys: ReadonlySet<string>,
): CsrFinding[] {
  return lintStoredCsr(csr.csrPem, { ...rules, isKeyCompromised: compromisedKeys.has(csr.spkiSha256) });
}
