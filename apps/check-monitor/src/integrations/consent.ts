import type { Micros } from '../instants.js';
import { kindNamed } from './channel-kinds.js';

interface ConsentState {
  readonly kind: string;
  readonly verifiedAt: Micros | null;
}

/** Whether the holder of the address must agree before anything is sent there. */
export function needsConsent(kind: string): boolean {
  return kindNamed(kind)?.needsConsent === true;
}

/** Address in the settings of a channel that has one. */
export function addressIn(settings: unknown): unknown {
  const { address } = (settings ?? {}) as { readonly address?: unknown };
  return typeof address === 'string' ? address.trim() : address;
}

/** Whether two mail addresses are one: the case of their domains does not count (RFC 5321 §2.4). */
export function isSameAddress(one: unknown, other: unknown): boolean {
  return withPlainDomain(one) === withPlainDomain(other);
}

function withPlainDomain(address: unknown): unknown {
  return typeof address === 'string' ? address.replace(/@[^@]*$/, (domain) => domain.toLowerCase()) : address;
}

/** Whether settings of a kind that needs consent name `address`, whose holder is the one who gives them. */
export function isAddressOf(kind: string, settings: unknown, address: string | undefined): boolean {
  return needsConsent(kind) && address !== undefined && isSameAddress(addressIn(settings), address);
}

/** Why nothing is sent to an address whose holder has not agreed. */
export const consentMissing = 'Email not verified';

/** Whether the holder of the address has yet to agree. */
export function isWithoutConsent({ kind, verifiedAt }: ConsentState): boolean {
  return needsConsent(kind) && verifiedAt === null;
}
