import type { AcmeAuthorization, AcmeChallenge } from '@certloop/contracts';
import type { AcmeLinks } from '../protocol/acme-links.js';
import { authorizationStatus, challengeStatus } from '../records/order-status.js';
import type { Authorization, Challenge } from '../records/records.js';

/** Authorization (RFC 8555 §7.1.4). */
export function authorizationView(
  authorization: Authorization,
  now: Date,
  links: AcmeLinks,
): AcmeAuthorization {
  const { type, value, wildcard } = authorization.identifier;
  const challenges = shownChallenges(authorization, now);
  return {
    identifier: { type, value },
    status: authorizationStatus(authorization, now),
    expires: authorization.expires.toISOString(),
    challenges: challenges.map((challenge) => challengeView(authorization, challenge, now, links)),
    ...(wildcard && { wildcard: true }),
  };
}

/** A decided authorization shows only what decided it (RFC 8555 §7.1.4). */
function shownChallenges(authorization: Authorization, now: Date): readonly Challenge[] {
  const status = authorizationStatus(authorization, now);
  if (status === 'pending') return authorization.challenges;
  const decisive = authorization.challenges.filter((challenge) =>
    ['valid', 'invalid'].includes(challengeStatus(challenge, now)),
  );
  return decisive.length > 0 ? decisive : authorization.challenges;
}

/** Challenge (RFC 8555 §7.1.5). */
export function challengeView(
  { id, token }: Authorization,
  challenge: Challenge,
  now: Date,
  links: AcmeLinks,
): AcmeChallenge {
  const { type, endedAt, problem } = challenge;
  const status = challengeStatus(challenge, now);
  return {
    type,
    url: links.of('challenge', { id, type }),
    status,
    token,
    ...(status === 'valid' && endedAt !== undefined && { validated: endedAt.toISOString() }),
    ...(status === 'invalid' && problem !== undefined && { error: problem }),
  };
}
