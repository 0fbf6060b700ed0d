import { randomBytes, randomUUID } from 'node:crypto';
import { type AcmeReply, accountOf, created, ok, parsePayload } from '@certloop/acme-server';
import {
  type AuthorizedIdentifier,
  authorizationStatus,
  authorizationView,
  authorizedIdentifier,
  challengeTypesOf,
  noSuch,
  parseIdentifiers,
} from '@certloop/acme-server/rules';
import { AcmeProblem, acmeRequests } from '@certloop/contracts';
import type { AcmeDeps, AcmeRequest } from '../acme-deps.service.js';
import type { Authorization, Challenge } from '../records/records.js';

/** A new pending authorization of the account. */
export function addAuthorization(
  { store, clock, settings }: AcmeDeps,
  accountId: string,
  identifier: AuthorizedIdentifier,
  isPreAuthorization: boolean,
): Authorization {
  const authorization: Authorization = {
    id: randomUUID(),
    accountId,
    identifier,
    // RFC 8555 §8: at least 128 bits, in base64url.
    token: randomBytes(24).toString('base64url'),
    expires: new Date(clock.now().getTime() + settings.authorizationSeconds * 1000),
    deactivatedAt: undefined,
    challenges: challengeTypesOf(identifier).map(newChallenge),
    isPreAuthorization,
  };
  store.insertAuthorization(authorization);
  return authorization;
}

const newChallenge = (type: Challenge['type']): Challenge => ({
  type,
  startedAt: undefined,
  endedAt: undefined,
  problem: undefined,
  toldAt: undefined,
});

/** An authorization ahead of any order; not for wildcards (RFC 8555 §7.4.1). */
export async function newAuthorization(deps: AcmeDeps, request: AcmeRequest): Promise<AcmeReply> {
  const account = accountOf(request);
  const { identifier: asked } = parsePayload(acmeRequests.newAuthorizationSchema, request.payload);
  const [identifier] = parseIdentifiers([asked]).map(authorizedIdentifier);
  if (identifier === undefined || identifier.wildcard) {
    throw new AcmeProblem('malformed', 'a wildcard can be authorized only by an order');
  }
  const known = deps.store.findProvenAuthorization(account.id, identifier);
  const now = deps.clock.now();
  if (known !== undefined && authorizationStatus(known, now) === 'valid') return show(deps, known, request);
  const { id } = addAuthorization(deps, account.id, identifier, true);
  const authorization = getAuthorization(deps, request, id);
  return created(
    authorizationView(authorization, now, request.links),
    request.links.of('authorization', { id }),
  );
}

/** Authorization as it is, or deactivated when that is asked for (RFC 8555 §7.5, §7.5.2). */
export async function updateAuthorization(
  deps: AcmeDeps,
  request: AcmeRequest,
  id: string,
): Promise<AcmeReply> {
  const authorization = getAuthorization(deps, request, id);
  if (request.payload.length > 0) {
    parsePayload(acmeRequests.authorizationUpdateSchema, request.payload);
    deactivate(deps, authorization);
  }
  return show(deps, authorization, request);
}

function deactivate({ clock }: AcmeDeps, authorization: Authorization): void {
  const now = clock.now();
  const status = authorizationStatus(authorization, now);
  if (status === 'deactivated') return;
  if (status !== 'pending' && status !== 'valid') {
    throw new AcmeProblem('malformed', `an authorization that is ${status} cannot be deactivated`);
  }
  authorization.deactivatedAt = now;
}

/** The account's own. Throws `malformed` with status 404 if there is none, `unauthorized` for another's. */
export function getAuthorization({ store }: AcmeDeps, request: AcmeRequest, id: string): Authorization {
  const authorization = store.findAuthorization(id);
  if (authorization === undefined) throw noSuch('authorization');
  if (authorization.accountId !== accountOf(request).id) {
    throw new AcmeProblem('unauthorized', 'the authorization belongs to another account');
  }
  return authorization;
}

function show(
  { clock, settings }: AcmeDeps,
  authorization: Authorization,
  { links }: AcmeRequest,
): AcmeReply {
  const now = clock.now();
  const isUnderWay = authorizationStatus(authorization, now) === 'pending';
  return ok(authorizationView(authorization, now, links), {
    location: links.of('authorization', { id: authorization.id }),
    retryAfterSeconds: isUnderWay ? settings.retryAfterSeconds : undefined,
  });
}
