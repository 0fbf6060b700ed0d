import type { Fqdn } from '@certloop/contracts';
import { type Labels, labelsView } from './labels.js';

/** An FQDN as the API shows it; `warning` only in the answer to its creation. */
export function fqdnView(
  fqdn: Labels & {
    readonly id: string;
    readonly spaceId: string;
    readonly fqdn: string;
    readonly description: string;
    readonly providerId: string | null;
    readonly renewalEnabled: boolean;
    readonly renewAfterPermille: number | null;
    readonly expiryAcceptedUntil: Date | null;
    readonly createdAt: Date;
  },
  warning?: string,
): Fqdn {
  return {
    id: fqdn.id,
    spaceId: fqdn.spaceId,
    fqdn: fqdn.fqdn,
    description: fqdn.description,
    createdAt: fqdn.createdAt.toISOString(),
    renewalEnabled: fqdn.renewalEnabled,
    ...(fqdn.providerId !== null && { providerId: fqdn.providerId }),
    ...(fqdn.renewAfterPermille !== null && { renewAfterFraction: fqdn.renewAfterPermille / 1000 }),
    ...(fqdn.expiryAcceptedUntil !== null && {
      expiryAcceptedUntil: fqdn.expiryAcceptedUntil.toISOString(),
    }),
    ...labelsView(fqdn),
    ...(warning !== undefined && { warning }),
  };
}
