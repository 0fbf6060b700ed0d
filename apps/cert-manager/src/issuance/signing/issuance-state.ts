import { isCsrSent } from '../../acme/orders/order-record.js';
import type { OrderState } from '../../providers/provider.js';

/** `running` as long as its worker extends the lease; `unknown` if the CA may have issued, and its answer was lost. */
export const issuanceStates = ['queued', 'running', 'waiting', 'unknown', 'issued', 'failed'] as const;

/** The part of an issuance that moves. */
export interface IssuanceState {
  readonly state: (typeof issuanceStates)[number];
  /** How often a worker has claimed it. Each write names this number, so that a former worker cannot write. */
  readonly attempt: number;
  /** Until when the claim of a running one holds. */
  readonly leaseUntil: Date | null;
  /** When the CA is asked again. */
  readonly nextAt: Date | null;
}

/** Event that may happen to an issuance before its end. */
export type IssuanceEvent =
  /** A worker takes a queued one, takes over from one that is silent, or asks again. */
  | { readonly kind: 'claim'; readonly now: Date }
  /** Its worker is still at work. */
  | { readonly kind: 'extend'; readonly now: Date }
  /** The CA may have issued, but its worker got no certificate; the CA is not asked again before `notBefore`. */
  | { readonly kind: 'lose'; readonly now: Date; readonly notBefore?: Date | undefined }
  /** A person has to publish a proof. */
  | { readonly kind: 'wait'; readonly now: Date }
  /** It is the next worker's: the person has published the proof, or its process stops. */
  | { readonly kind: 'queue'; readonly now: Date };

export interface LeaseTerms {
  /** A worker that does not extend its lease for so long counts as dead, in milliseconds. */
  readonly leaseMs: number;
}

/** How an event changes an issuance; undefined if it cannot happen to it. */
export function changeOfIssuance(
  issuance: IssuanceState,
  event: IssuanceEvent,
  { leaseMs }: LeaseTerms,
): Partial<IssuanceState> | undefined {
  const { state, attempt, nextAt } = issuance;
  const { now } = event;
  const leaseUntil = new Date(now.getTime() + leaseMs);
  switch (event.kind) {
    case 'claim':
      if (isLapsed(issuance, now)) return { attempt: attempt + 1, leaseUntil };
      if (nextAt === null || nextAt > now) return undefined;
      if (state === 'queued') return { state: 'running', attempt: attempt + 1, leaseUntil, nextAt: null };
      // it goes on beside the running issuance of the FQDN
      return state === 'unknown'
        ? { attempt: attempt + 1, nextAt: nextTry(attempt + 1, now, leaseMs) }
        : undefined;
    case 'extend':
      return state === 'running' ? { leaseUntil } : undefined;
    case 'lose': {
      if (state !== 'running') return undefined;
      const nextAt = later(nextTry(attempt, now, leaseMs), event.notBefore);
      return { state: 'unknown', leaseUntil: null, nextAt };
    }
    case 'wait':
      return state === 'running' ? { state: 'waiting', leaseUntil: null } : undefined;
    case 'queue':
      if (state !== 'running' && state !== 'waiting') return undefined;
      return { state: 'queued', leaseUntil: null, nextAt: now };
  }
}

const hourMs = 3_600_000;

/** The pauses double up to an hour; the first attempt is that of the call. */
function nextTry(attempt: number, now: Date, leaseMs: number): Date {
  return new Date(now.getTime() + Math.min(leaseMs * 2 ** Math.max(attempt - 2, 0), hourMs));
}

function later(one: Date, other: Date | undefined): Date {
  return other !== undefined && other > one ? other : one;
}

/** Whether the CA was certainly not given the CSR of an open issuance, so that another CSR may take its place. */
export function isCsrUnsent({
  isOrder,
  state,
  orderState,
}: Pick<IssuanceState, 'state'> & Pick<LeftTry, 'isOrder' | 'orderState'>): boolean {
  return isOrder ? !isCsrSent(orderState) : state === 'queued';
}

/** Whether its worker counts as dead. */
export function isLapsed(
  { state, leaseUntil }: Pick<IssuanceState, 'state' | 'leaseUntil'>,
  now: Date,
): boolean {
  return state === 'running' && (leaseUntil === null || leaseUntil <= now);
}

/** The states of an issuance as the API names those of a job. */
export const jobStatuses = {
  queued: 'running',
  running: 'running',
  waiting: 'waiting',
  // its caller was answered
  unknown: 'failed',
  issued: 'completed',
  failed: 'failed',
} as const satisfies Record<IssuanceState['state'], string>;

/** The states that the API names so. */
export function statesOf(status: (typeof jobStatuses)[IssuanceState['state']]): IssuanceState['state'][] {
  return issuanceStates.filter((state) => jobStatuses[state] === status);
}

interface RequestedCertificate {
  readonly csrId: string;
  readonly providerId: string;
}

/**
 * Returns what a call does about the issuance that its FQDN has already: it joins one for the same CSR and provider,
 * waits for the end of another one, takes over one of a provider without orders whose worker is silent, and ignores one
 * that is not running.
 */
export function actBeside(
  open: IssuanceState & RequestedCertificate & { readonly isOrder: boolean },
  requested: RequestedCertificate,
  now: Date,
): 'join' | 'wait' | 'take over' | 'ignore' {
  if (open.state !== 'running') return 'ignore';
  if (!open.isOrder && isLapsed(open, now)) return 'take over';
  return isSame(open, requested) ? 'join' : 'wait';
}

/** Whether both are for the same CSR and provider. */
export function isSame(one: RequestedCertificate, other: RequestedCertificate): boolean {
  return one.csrId === other.csrId && one.providerId === other.providerId;
}

/** Traces of a try to obtain a certificate. */
interface LeftTry {
  readonly isOrder: boolean;
  readonly orderState: OrderState | null;
  /** The CA's answer, not stored as a certificate yet. */
  readonly issued: object | null;
}

/** Whether a further try has something to continue: an answer, an order, or a question that was not answered. */
export function isContinued({ isOrder, orderState, issued }: LeftTry): boolean {
  return issued !== null || !isOrder || orderState !== null;
}

/** Whether the CA has perhaps issued a certificate that is not stored yet. */
export function mayHaveCertificate({ isOrder, orderState, issued }: LeftTry): boolean {
  return issued !== null || !isOrder || isCsrSent(orderState);
}
