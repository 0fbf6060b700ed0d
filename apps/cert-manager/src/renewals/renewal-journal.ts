import type { OrderState } from '../providers/provider.js';

/** How far a renewal has come: what another process needs to continue it instead of starting again. */
export interface RenewalJournal {
  /** CSR that the provider was asked to sign. */
  readonly csrId: string;
  /** Whom it was asked of; absent in journals of earlier versions. */
  readonly providerId?: string;
  /** State of an order under way, as the provider stores it. */
  readonly order?: OrderState;
  /** Idempotency key with which a provider without orders is asked, until it has answered; stored under this name. */
  readonly wish?: string;
  /** The issuance of the try, or of the one before, whatever happens to the entry; absent in journals of earlier versions. */
  readonly requestId?: string;
  /** The provider's answer, not stored as a certificate yet. */
  readonly issued?: { readonly certificatePem: string; readonly upstreamId: string | null };
}

/** Idempotency key of the request that is under way; undefined if there is none. */
export function pendingKeyOf(journal: Pick<RenewalJournal, 'wish'> | null | undefined): string | undefined {
  return journal?.wish;
}

/** Returns the journal of a request that is under way with a provider without orders. */
export function pendingRequest(idempotencyKey: string, requestId: string): Partial<RenewalJournal> {
  return { wish: idempotencyKey, requestId };
}

/**
 * Returns what a further try needs of a journal: a request under way has been answered, or is asked again by others.
 */
export function withoutRequest(journal: RenewalJournal | null): RenewalJournal | null {
  if (journal?.wish === undefined) return journal;
  const { wish: _, requestId: __, ...others } = journal;
  return others.order === undefined ? null : others;
}
