import type {
  AcmeAuthorizationStatus,
  AcmeChallengeStatus,
  AcmeOrderStatus,
  AcmeProblemDocument,
} from '@certloop/contracts';

/** Facts of a challenge. */
export interface ChallengeFacts {
  readonly startedAt: Date | undefined;
  /** When its validation ended, well or not. */
  readonly endedAt: Date | undefined;
  /** Reason of its failure. */
  readonly problem: AcmeProblemDocument | undefined;
  /** From when on clients see the outcome; undefined for at once. */
  readonly toldAt: Date | undefined;
}

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

/** Facts of an authorization. */
export interface AuthorizationFacts {
  readonly expires: Date;
  readonly deactivatedAt: Date | undefined;
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

/** Facts of an order. */
export interface OrderFacts {
  readonly expires: Date;
  /** Statuses of its authorizations at the same moment. */
  readonly authorizations: readonly AcmeAuthorizationStatus[];
  readonly finalizedAt: Date | undefined;
  /** From when on the certificate can be had; undefined while there is none. */
  readonly availableAt: Date | undefined;
  readonly problem: AcmeProblemDocument | undefined;
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
