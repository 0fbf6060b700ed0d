import type {
  AcmeAccount,
  AcmeAuthorization,
  AcmeChallenge,
  AcmeDirectory,
  AcmeOrder,
  AcmeOrderStatus,
  AcmeProblemDocument,
} from '@certloop/contracts';
import type { AcmeLinks } from './acme-links.js';
import { describeProfile } from './acme-profile.js';
import type { Account, Authorization, Challenge, Order } from './acme-records.js';
import type { AcmeSettings } from './acme-settings.js';
import { authorizationStatus, challengeStatus } from './order-status.js';

/** Directory (RFC 8555 §7.1.1). */
export function directoryView(links: AcmeLinks, settings: AcmeSettings): AcmeDirectory {
  const { termsOfService, profiles, requireExternalAccount } = settings;
  return {
    newNonce: links.of('newNonce'),
    newAccount: links.of('newAccount'),
    newOrder: links.of('newOrder'),
    newAuthz: links.of('newAuthz'),
    revokeCert: links.of('revokeCert'),
    keyChange: links.of('keyChange'),
    renewalInfo: links.of('renewalInfo'),
    meta: {
      ...(termsOfService !== undefined && { termsOfService }),
      externalAccountRequired: requireExternalAccount,
      profiles: Object.fromEntries(profiles.map((profile) => [profile.name, describeProfile(profile)])),
    },
  };
}

/** Account (RFC 8555 §7.1.2). */
export function accountView(account: Account, links: AcmeLinks): AcmeAccount {
  const { id, contacts, termsAgreed, externalAccountBinding, deactivatedAt } = account;
  return {
    status: deactivatedAt === undefined ? 'valid' : 'deactivated',
    contact: [...contacts],
    ...(termsAgreed && { termsOfServiceAgreed: true }),
    ...(externalAccountBinding !== undefined && { externalAccountBinding: { ...externalAccountBinding } }),
    orders: links.of('accountOrders', { id }),
  };
}

/** Order (RFC 8555 §7.1.3). */
export function orderView(
  order: Order,
  {
    status,
    problem,
  }: { readonly status: AcmeOrderStatus; readonly problem: AcmeProblemDocument | undefined },
  links: AcmeLinks,
): AcmeOrder {
  const { id, notBefore, notAfter, certificateId, replaces } = order;
  const isIssued = status === 'valid' && certificateId !== undefined;
  return {
    status,
    expires: order.expires.toISOString(),
    identifiers: order.identifiers.map(({ type, value }) => ({ type, value })),
    ...(notBefore !== undefined && { notBefore: notBefore.toISOString() }),
    ...(notAfter !== undefined && { notAfter: notAfter.toISOString() }),
    ...(problem !== undefined && { error: problem }),
    authorizations: order.authorizationIds.map((each) => links.of('authorization', { id: each })),
    finalize: links.of('finalize', { id }),
    ...(isIssued && { certificate: links.of('certificate', { id: certificateId }) }),
    ...(replaces !== undefined && { replaces }),
    profile: order.profile,
  };
}

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
