import type { RenewalQueueEntry, RenewalStatus } from '@certloop/contracts';

/** What is shown of a renewal entry. */
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
  };
}
