import { newRowId } from '@certloop/db';
import type { RenewalRow } from './renewals.repository.js';

type Subject = Pick<RenewalRow, 'fqdnId' | 'spaceId' | 'certificateId' | 'providerId' | 'scheduledAt'>;

/** A pending entry, of the first try by default. */
export function newRenewal(
  entry: Subject & Partial<Pick<RenewalRow, 'isTest' | 'attempt' | 'retryOf' | 'issuanceId' | 'adviceDueAt'>>,
  now: Date,
): RenewalRow {
  return {
    id: newRowId(now),
    status: 'pending',
    createdAt: now,
    isTest: false,
    attempt: 1,
    leaseOwner: null,
    leaseUntil: null,
    retryOf: null,
    reason: null,
    finishedAt: null,
    journal: null,
    issuanceId: null,
    adviceDueAt: null,
    windowStart: null,
    windowEnd: null,
    explanationUrl: null,
    ...entry,
  };
}
