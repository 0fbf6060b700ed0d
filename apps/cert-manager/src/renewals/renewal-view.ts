import type { PermissionLevel, RenewalQueueEntry, RenewalStatus } from '@certloop/contracts';

interface NamesAndLevel {
  readonly fqdn: string;
  readonly spaceName: string;
  /** Level of the caller on the space. */
  readonly level?: PermissionLevel | undefined;
  /** Why the attempt before failed. */
  readonly lastError?: string | undefined;
}

/** Renewal entry with what is shown of it. */
export interface ShownRenewal {
  readonly id: string;
  readonly certificateId: string;
  readonly fqdnId: string;
  readonly spaceId: string;
  readonly scheduledAt: Date;
  readonly status: RenewalStatus;
  readonly createdAt: Date;
  readonly isTest: boolean;
  readonly attempt: number;
  readonly retryOf: string | null;
  readonly reason: string | null;
  readonly providerId: string;
  /** Shown, with the provider, where they are asked for. */
  readonly names?: NamesAndLevel | undefined;
}

/** An entry of the renewal queue as the API shows it. */
export function renewalView(entry: ShownRenewal): RenewalQueueEntry {
  return {
    id: entry.id,
    certificateId: entry.certificateId,
    fqdnId: entry.fqdnId,
    spaceId: entry.spaceId,
    scheduledAt: entry.scheduledAt.toISOString(),
    status: entry.status,
    createdAt: entry.createdAt.toISOString(),
    isTest: entry.isTest,
    attempt: entry.attempt,
    ...(entry.retryOf !== null && { retryOf: entry.retryOf }),
    ...(entry.reason !== null && { reason: entry.reason }),
    ...(entry.names !== undefined && namesView(entry.names, entry.providerId)),
  };
}

function namesView({ fqdn, spaceName, level, lastError }: NamesAndLevel, providerId: string) {
  return {
    fqdn,
    spaceName,
    providerId,
    ...(level !== undefined && { level }),
    ...(lastError !== undefined && { lastError }),
  };
}
