import type { AllowedNames, IssuancePolicy } from '@certloop/contracts/browser';
import { entriesIn } from '../../limits/text-entries.js';

/** Values of the form of a policy; lists of names are text, one entry a line. */
export interface PolicyDraft {
  readonly limitsNames: boolean;
  readonly names: string;
  readonly suffixes: string;
  readonly cidrs: string;
  readonly wildcards: boolean;
  readonly beyondFqdn: boolean;
  readonly limitsProviders: boolean;
  readonly providerIds: readonly string[];
}

export function draftOf({ allowedNames, providerIds }: IssuancePolicy): PolicyDraft {
  const { names = [], suffixes = [], cidrs = [], wildcards = false, beyondFqdn = false } = allowedNames ?? {};
  return {
    limitsNames: allowedNames !== null,
    names: names.join('\n'),
    suffixes: suffixes.join('\n'),
    cidrs: cidrs.join('\n'),
    wildcards,
    beyondFqdn,
    limitsProviders: providerIds !== null,
    providerIds: providerIds ?? [],
  };
}

export function policyOf(draft: PolicyDraft): IssuancePolicy {
  const { wildcards, beyondFqdn } = draft;
  const allowedNames: AllowedNames = {
    names: entriesIn(draft.names),
    suffixes: entriesIn(draft.suffixes),
    wildcards,
    cidrs: entriesIn(draft.cidrs),
    beyondFqdn,
  };
  return {
    allowedNames: draft.limitsNames ? allowedNames : null,
    providerIds: draft.limitsProviders ? [...draft.providerIds] : null,
  };
}
