import type { Micros } from '../instants.js';
import { type ChannelKind, findKind } from './channel-kinds.js';

interface ConsentState {
  readonly kind: string;
  readonly verifiedAt: Micros | null;
}

/** Whether the holder of the address must agree before anything is sent there. */
export function needsConsent(kind: ChannelKind | undefined): boolean {
  return kind === 'email';
}

/** Address in the settings of a channel that has one. */
export function addressIn(settings: unknown): unknown {
  const { address } = (settings ?? {}) as { readonly address?: unknown };
  return typeof address === 'string' ? address.trim() : address;
}

/** Whether settings of a kind that needs consent name `address`, whose holder is the one who gives them. */
export function isAddressOf(kind: string, settings: unknown, address: string | undefined): boolean {
  return needsConsent(findKind(kind)) && address !== undefined && addressIn(settings) === address;
}

/** Why nothing is sent to an address whose holder has not agreed. */
export const consentMissing = 'Email not verified';

/** Whether the holder of the address has yet to agree. */
export function isWithoutConsent({ kind, verifiedAt }: ConsentState): boolean {
  return needsConsent(findKind(kind)) && verifiedAt === null;
}
