import type { AcmeAuthorizationStatus, AcmeChallengeStatus, AcmeOrderStatus } from '@certloop/contracts';
import type { Authorization, Challenge, Order } from './records.js';

/** Facts of a challenge that decide its status. */
export type ChallengeFacts = Omit<Challenge, 'type'>;

/** Status of a challenge at `now` (RFC 8555 §7.1.6). */
export function challengeStatus(facts: ChallengeFacts, now: Date): AcmeChallengeStatus {
  if (now.getTime() >= decidedAt(facts)) return facts.problem === undefined ? 'valid' : 'invalid';
  return facts.startedAt === undefined ? 'pending' : 'processing';
}

/** Milliseconds since 1970 at which the outcome is there for all to see; infinite without an outcome. */
function decidedAt({ endedAt, toldAt }: ChallengeFacts): number {
  if (endedAt === undefined) return Number.POSITIVE_INFINITY;
  return Math.max(endedAt.getTime(), toldAt?.getTime() ?? 0);
}

/** Facts of an authorization that decide its status. */
export interface AuthorizationFacts extends Pick<Authorization, 'expires' | 'deactivatedAt'> {
  readonly challenges: readonly ChallengeFacts[];
}

/**
 * Status of an authorization at `now` (RFC 8555 §7.1.6). The challenge that is decided first decides, permanently; a
 * pending one past its end is invalid (§7.1.4, `expires`), a valid one expired.
 */
export function authorizationStatus(facts: AuthorizationFacts, now: Date): AcmeAuthorizationStatus {
  if (facts.deactivatedAt !== undefined) return 'deactivated';
  const isOver = now >= facts.expires;
  const decided = Math.min(...facts.challenges.map(decidedAt));
  if (decided > now.getTime() || decided >= facts.expires.getTime()) return isOver ? 'invalid' : 'pending';
  const isValid = facts.challenges.some((each) => decidedAt(each) === decided && each.problem === undefined);
  if (!isValid) return 'invalid';
  return isOver ? 'expired' : 'valid';
}

/** Facts of an order that decide its status. */
export interface OrderFacts extends Pick<Order, 'expires' | 'finalizedAt' | 'availableAt' | 'problem'> {
  /** Statuses of its authorizations at the same moment. */
  readonly authorizations: readonly AcmeAuthorizationStatus[];
}

/**
 * Status of an order at `now` (RFC 8555 §7.1.6). What is finalized no longer depends on its authorizations, nor
 * on its end.
 */
export function orderStatus(facts: OrderFacts, now: Date): AcmeOrderStatus {
  if (facts.problem !== undefined) return 'invalid';
  if (facts.finalizedAt !== undefined) {
    return facts.availableAt !== undefined && now >= facts.availableAt ? 'valid' : 'processing';
  }
  if (now >= facts.expires) return 'invalid';
  if (facts.authorizations.every((status) => status === 'valid')) return 'ready';
  return facts.authorizations.every((status) => status === 'valid' || status === 'pending')
    ? 'pending'
    : 'invalid';
}

/** Status of an order whose authorizations are these; one that is not stored any more has expired. */
export function judgeOrder(
  order: Order,
  authorizations: readonly (Authorization | undefined)[],
  now: Date,
): AcmeOrderStatus {
  const statuses = authorizations.map((each) =>
    each === undefined ? 'expired' : authorizationStatus(each, now),
  );
  return orderStatus({ ...order, authorizations: statuses }, now);
}
