import { type certManagerContract, Forbidden } from '@certloop/contracts';
import {
  type Arrival,
  deviceSecretOf,
  type FetchMetadata,
  isFromForeignPage,
  type Logger,
  plainAddress,
  requestIdOf,
  type SessionCookie,
} from '@certloop/server';
import type { Request, Response } from 'express';
import { anonymousCaller, type Caller, type Origin } from '../../access/caller.js';
import { canOn } from '../../access/permissions.js';
import { type Need, requireNeed, routeNeeds } from '../../access/route-needs.js';
import {
  type Counted,
  type RequestLimits,
  rateHeaders,
  requireWithinLimit,
} from '../limits/request-limits.store.js';
import { requireOwnAccount } from '../own-account.service.js';
import { requireSetupOpen } from '../setup/bootstrap.service.js';
import { type Credentials, type IdentifyDeps, identifyCaller } from './identify.service.js';
import { createTokenReader } from './token-owners.service.js';
import { createNoteUse } from './use-notes.service.js';

export interface CallerDeps extends Omit<IdentifyDeps, 'readToken' | 'noteUse'> {
  readonly logger: Logger;
  readonly cookie: SessionCookie;
  readonly deviceCookie: SessionCookie;
  /** Origin that browsers know this service by, when it is another than the request shows. */
  readonly publicOrigin: string | undefined;
  readonly limits: RequestLimits;
}

type Arrived = Arrival<typeof certManagerContract>;

/**
 * Returns a function that identifies the caller of a request and admits them to its operation, before anything else of the
 * request is validated. Who need not sign in is not identified at all, and not counted.
 */
export function callerOf(deps: CallerDeps) {
  const identifying = { ...deps, readToken: createTokenReader(deps.db), noteUse: createNoteUse(deps) };
  return async (arrived: Arrived): Promise<Caller> => {
    const need = routeNeeds[arrived.operation];
    const sent = credentialsOf(deps, arrived);
    if (need === 'anonymous' || need === 'before-setup') {
      if (sent.isWrite && isFromForeignPage(sent, sent.ownOrigins)) throw foreignPage();
      if (need === 'before-setup') await requireSetupOpen(deps);
      return anonymousCaller(sent.from);
    }
    const caller = await identifyCaller(identifying, sent);
    arrived.response.locals['caller'] = caller;
    await admit(deps, caller, need, arrived);
    return caller;
  };
}

/** Returns what a request says about who sends it, and from where. */
function credentialsOf(deps: CallerDeps, { request, response }: Arrived): Credentials {
  const page = fetchMetadataOf(request);
  const deviceSecret = deviceSecretOf(deps.deviceCookie.read(request.get('cookie')), page);
  return {
    ...page,
    authorization: request.get('authorization'),
    sessionSecret: deps.cookie.read(request.get('cookie')),
    csrfToken: request.get('x-csrf-token'),
    asUserId: request.get('x-user-id'),
    isWrite: request.method !== 'GET' && request.method !== 'HEAD',
    isBackground: request.get('x-activity') === 'background',
    ownOrigins: ownOrigins(request, deps.publicOrigin),
    from: { ...requestOriginOf(request, response), ...(deviceSecret !== undefined && { deviceSecret }) },
  };
}

/** Holds a caller to the limits of requests and to what the operation needs. Throws Forbidden and NotFound. */
async function admit(
  deps: CallerDeps,
  caller: Caller,
  need: Exclude<Need, 'anonymous' | 'before-setup'>,
  { endpoint, params, response }: Arrived,
): Promise<void> {
  if (typeof need === 'object') response.locals['spaceId'] = (params[need.param] ?? '').toLowerCase();
  const counted: Counted[] = [];
  const count = (one: Counted | undefined) => {
    if (one === undefined) return;
    counted.push(one);
    response.set(rateHeaders(counted));
    requireWithinLimit(one);
  };
  count(deps.limits.count('principal', caller.userId));
  requireNeed(caller, need, params);
  const spaceId = spaceOf(need, endpoint.path, params);
  // a space that the caller may not see does not exist for them, and they must not use up its limit
  if (spaceId !== undefined && canOn(caller, spaceId, 'READ')) count(deps.limits.count('space', spaceId));
  if (need === 'own-account') await requireOwnAccount(deps, caller, (params['id'] ?? '').toLowerCase());
}

/** The space that a path is about. */
function spaceOf(need: Need, path: string, params: Readonly<Record<string, string>>): string | undefined {
  const name = typeof need === 'object' ? need.param : 'id';
  return path.startsWith(`/spaces/{${name}}`) ? params[name]?.toLowerCase() : undefined;
}

/** Else a page elsewhere could sign its visitor in as someone else. */
function foreignPage(): Forbidden {
  return new Forbidden('the request came from a page of another origin', {
    code: 'csrf_refused',
    title: 'Cross-site request refused',
  });
}

/** The caller that was identified, if one was, and the space that their path names. */
export function identifiedOf(response: Response): { readonly caller?: Caller; readonly spaceId?: string } {
  return response.locals as { readonly caller?: Caller; readonly spaceId?: string };
}

/** Where the request came from. */
export function requestOriginOf(request: Request, response: Response): Origin {
  const idempotencyKey = request.get('idempotency-key');
  const ifNoneMatch = request.get('if-none-match');
  return {
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(ifNoneMatch !== undefined && { ifNoneMatch }),
    requestId: requestIdOf(response),
    ipAddress: plainAddress(request.ip),
    userAgent: printable(request.get('user-agent') ?? ''),
  };
}

export function fetchMetadataOf(request: Request): FetchMetadata {
  return { fetchSite: request.get('sec-fetch-site'), origin: request.get('origin') };
}

/** Origins under which this service serves its own pages. */
export function ownOrigins(request: Request, publicOrigin: string | undefined): string[] {
  const own = `${request.protocol}://${request.get('host') ?? ''}`.toLowerCase();
  return publicOrigin === undefined ? [own] : [own, publicOrigin.toLowerCase()];
}

const maxCharacters = 256;

function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, ' ').slice(0, maxCharacters);
}
