import { setTimeout as delay } from 'node:timers/promises';
import { type AcmeReply, accountOf, ok, parsePayload } from '@certloop/acme-server';
import {
  authorizationStatus,
  challengeStatus,
  challengeView,
  link,
  noSuch,
} from '@certloop/acme-server/rules';
import {
  AcmeProblem,
  AppError,
  acmeProblemDocument,
  acmeProblemType,
  acmeRequests,
} from '@certloop/contracts';
import { keyAuthorization } from '@certloop/crypto';
import type { AcmeDeps, AcmeRequest } from '../acme-deps.service.js';
import { processingUntil } from '../faults/slow-processing.service.js';
import type { Account, Authorization, Challenge } from '../records/records.js';
import { getAuthorization } from './authorizations.service.js';

export interface ChallengeAddress {
  readonly id: string;
  readonly type: string;
}

/**
 * Challenge as it is, or with its validation begun when the client says that it is ready (RFC 8555 §7.5.1). The
 * answer waits a moment for the outcome, so that quick ones need not be asked for again.
 */
export async function answerChallenge(
  deps: AcmeDeps,
  request: AcmeRequest,
  { id, type }: ChallengeAddress,
): Promise<AcmeReply> {
  const authorization = getAuthorization(deps, request, id);
  const challenge = authorization.challenges.find((each) => each.type === type);
  if (challenge === undefined) throw noSuch('challenge');
  if (request.payload.length > 0) parsePayload(acmeRequests.anyObjectSchema, request.payload);
  const statusNow = () => challengeStatus(challenge, deps.clock.now());
  if (request.payload.length > 0 && statusNow() === 'pending') {
    requirePending(deps, authorization);
    challenge.toldAt = processingUntil(deps, 'challenge');
    const validation = validate(deps, accountOf(request), authorization, challenge);
    await Promise.race([validation, delay(deps.settings.challengeWaitMs)]);
  }
  const isUnderWay = statusNow() === 'processing';
  return ok(challengeView(authorization, challenge, deps.clock.now(), request.links), {
    links: [link(request.links.of('authorization', { id }), 'up')],
    retryAfterSeconds: isUnderWay ? deps.settings.retryAfterSeconds : undefined,
  });
}

function requirePending({ clock }: AcmeDeps, authorization: Authorization): void {
  const status = authorizationStatus(authorization, clock.now());
  if (status === 'pending') return;
  throw new AcmeProblem('malformed', `the authorization is not pending but ${status}`);
}

/** Begins validations again that were under way when the process ended, so that no client waits forever. */
export function resumeValidations(deps: AcmeDeps): void {
  for (const authorization of deps.store.listBroken()) {
    const account = deps.store.findAccount(authorization.accountId);
    const challenge = authorization.challenges.find(
      ({ startedAt, endedAt }) => startedAt !== undefined && endedAt === undefined,
    );
    if (account !== undefined && challenge !== undefined)
      void validate(deps, account, authorization, challenge);
  }
}

/** Never rejects: whatever goes wrong is the problem of the challenge. */
async function validate(
  { store, clock, logger, counts, validate: prove }: AcmeDeps,
  account: Account,
  authorization: Authorization,
  challenge: Challenge,
): Promise<void> {
  const { identifier, token } = authorization;
  challenge.startedAt = clock.now();
  try {
    const proof = { token, keyAuthorization: keyAuthorization(token, account.jwk) };
    await prove({ type: challenge.type, identifier, ...proof });
    // Invalid is permanent (RFC 8555 §7.1.6), also for a challenge that was under way already.
    if (authorizationStatus(authorization, clock.now()) === 'invalid') {
      throw new AcmeProblem('unauthorized', 'the authorization became invalid in the meantime');
    }
    store.noteProven(authorization);
    counts.countChallenge({ type: challenge.type, outcome: 'valid' });
  } catch (error) {
    if (!(error instanceof AppError)) logger.error({ error }, 'validation.unexpected_error');
    const refusal =
      error instanceof AppError ? error : new AcmeProblem('serverInternal', 'the validation was aborted');
    challenge.problem = acmeProblemDocument(refusal);
    const outcome = acmeProblemType(challenge.problem) ?? 'serverInternal';
    counts.countChallenge({ type: challenge.type, outcome });
  } finally {
    challenge.endedAt = clock.now();
    // noted again: another answer may have written it while the validation was under way
    store.findAuthorization(authorization.id);
  }
}
