import type { FqdnAction } from '@certloop/contracts';
import { type Labels, normalTags } from '../../fqdns/labels.js';
import type { PolicyRules } from '../../fqdns/policy/issuance-policy.js';

/** Change to write to many FQDNs. */
export interface WantedChange {
  readonly action: FqdnAction;
  /** With `set-provider`; undefined for none. */
  readonly provider?: { readonly id: string; readonly name: string } | undefined;
  /** With `set-owner`; null for none. */
  readonly owner?: string | null | undefined;
  /** With `add-tags` and `remove-tags`. */
  readonly tags?: readonly string[] | undefined;
}

/** Settings of an FQDN that a change may write. */
interface ChangeableFqdn extends Labels {
  readonly renewalEnabled: boolean;
  readonly expiryAcceptedUntil: Date | null;
  readonly providerId: string | null;
}

export type WrittenColumns = Partial<ChangeableFqdn>;

/** Most tags of an FQDN. */
const maxTags = 20;

/** The columns that the change writes to the FQDN. */
export function columnsOf({ tags: before }: Pick<Labels, 'tags'>, wanted: WantedChange): WrittenColumns {
  const { action, provider, owner = null, tags = [] } = wanted;
  switch (action) {
    case 'set-provider':
      return { providerId: provider?.id ?? null };
    case 'set-owner':
      return { owner };
    case 'add-tags':
      return { tags: normalTags([...(before ?? []), ...tags]) };
    case 'remove-tags':
      return { tags: normalTags((before ?? []).filter((tag) => !tags.includes(tag))) };
    case 'renewal-on':
      // switching renewal on ends the acceptance of its expiry
      return { renewalEnabled: true, expiryAcceptedUntil: null };
    case 'renewal-off':
      return { renewalEnabled: false };
  }
}

/** Whether the FQDN is so already, is skipped and why, or changes. */
export function judgeChange(
  fqdn: ChangeableFqdn & { readonly fqdn: string },
  wanted: WantedChange,
  { canWrite, rules }: { readonly canWrite: boolean; readonly rules: PolicyRules | undefined },
): 'change' | 'unchanged' | { readonly reason: string } {
  if (!canWrite) return { reason: 'this needs READ_WRITE on the space' };
  const after = columnsOf(fqdn, wanted);
  const isSame = ([name, value]: [string, unknown]) =>
    JSON.stringify(fqdn[name as keyof ChangeableFqdn]) === JSON.stringify(value);
  if (Object.entries(after).every(isSame)) return 'unchanged';
  const count = after.tags?.length ?? 0;
  if (count > maxTags) return { reason: `it would have ${count} tags; an FQDN has at most ${maxTags}` };
  if (wanted.provider === undefined) return 'change';
  const refusal = rules?.refusalOfFqdn(fqdn.fqdn) ?? rules?.refusalOfProvider(wanted.provider);
  return refusal === undefined ? 'change' : { reason: refusal.message };
}
