import type { AcmeClientState, ClientUse } from '@certloop/contracts';

/** State of a client: what keeps it from working comes first. */
export function clientState(
  { expiresAt }: { readonly expiresAt: Date | null },
  use: Pick<ClientUse, 'lastOrder'> | undefined,
  now: Date,
): AcmeClientState {
  if (expiresAt !== null && expiresAt <= now) return 'expired';
  if (use === undefined) return 'unused';
  return use.lastOrder?.state === 'invalid' ? 'failing' : 'active';
}
