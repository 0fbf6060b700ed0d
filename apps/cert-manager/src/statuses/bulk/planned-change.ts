import type { FqdnAction } from '@certloop/contracts';
import type { PolicyRules } from '../../fqdns/policy/issuance-policy.js';

/** Change to write to many FQDNs. */
export interface WantedChange {
  readonly action: FqdnAction;
  /** With `set-provider`; undefined for none. */
  readonly provider: { readonly id: string; readonly name: string } | undefined;
}

/** Settings of an FQDN that a change may write. */
interface ChangeableFqdn {
  readonly renewalEnabled: boolean;
  readonly expiryAcceptedUntil: Date | null;
  readonly providerId: string | null;
}

export type WrittenColumns = Partial<ChangeableFqdn>;

/** The columns that the change writes to every FQDN. */
export function columnsOf({ action, provider }: WantedChange): WrittenColumns {
  if (action === 'set-provider') return { providerId: provider?.id ?? null };
  // switching renewal on ends the acceptance of its expiry
  return action === 'renewal-on'
    ? { renewalEnabled: true, expiryAcceptedUntil: null }
    : { renewalEnabled: false };
}

/** Whether the FQDN is so already, is skipped and why, or changes. */
export function judgeChange(
  fqdn: ChangeableFqdn & { readonly fqdn: string },
  wanted: WantedChange,
  { canWrite, rules }: { readonly canWrite: boolean; readonly rules: PolicyRules | undefined },
): 'change' | 'unchanged' | { readonly reason: string } {
  if (!canWrite) return { reason: 'this needs READ_WRITE on the space' };
  const columns = Object.entries(columnsOf(wanted));
  const isSame = ([name, value]: [string, unknown]) =>
    plain(fqdn[name as keyof ChangeableFqdn]) === plain(value);
  if (columns.every(isSame)) return 'unchanged';
  if (wanted.provider === undefined) return 'change';
  const refusal = rules?.refusalOfFqdn(fqdn.fqdn) ?? rules?.refusalOfProvider(wanted.provider);
  return refusal === undefined ? 'change' : { reason: refusal.message };
}

const plain = (value: unknown) => (value instanceof Date ? value.getTime() : value);
