import { type accountContract, Unauthenticated } from '@certloop/contracts';
import { type Arrival, deviceSecretOf, plainAddress, type SessionCookie } from '@certloop/server';
import type { Request } from 'express';
import { type Credentials, identifyUser, type SessionsDeps, type SignedIn } from './sessions.service.js';

export interface AccountCallerDeps extends SessionsDeps {
  readonly cookie: SessionCookie;
  readonly deviceCookie: SessionCookie;
  readonly addresses: { readonly siteRoot: string };
}

/** Context of a request for its handler: who is signed in, if anyone is, and where it came from. */
export interface AccountContext {
  readonly from: Credentials;
  readonly session: SignedIn | undefined;
}

/** The session of a request; throws Unauthenticated if there is none. */
export function sessionOf({ session }: AccountContext): SignedIn {
  if (session === undefined) throw new Unauthenticated('sign in');
  return session;
}

/** Who is signed in; throws Unauthenticated. */
export function userOf(context: AccountContext): SignedIn['user'] {
  return sessionOf(context).user;
}

/** Identifies the user of a request before anything else of it is judged. */
export function accountCallerOf(deps: AccountCallerDeps) {
  return async ({ operation, request }: Arrival<typeof accountContract>): Promise<AccountContext> => {
    const from = credentialsOf(deps, request);
    const isOpen = operation === 'login' || operation === 'getState';
    return { from, session: isOpen ? undefined : await identifyUser(deps, from) };
  };
}

/** Returns what a request shows of its sender. */
export function credentialsOf(deps: AccountCallerDeps, request: Request): Credentials {
  const fetchSite = request.get('sec-fetch-site');
  const own = `${request.protocol}://${request.get('host') ?? ''}`.toLowerCase();
  return {
    sessionSecret: deps.cookie.read(request.get('cookie')),
    csrfToken: request.get('x-csrf-token'),
    fetchSite,
    origin: request.get('origin'),
    isBackground: request.get('x-activity') === 'background',
    isWrite: request.method !== 'GET' && request.method !== 'HEAD',
    ownOrigins: [own, new URL(deps.addresses.siteRoot).origin],
    address: plainAddress(request.ip),
    deviceSecret: deviceSecretOf(deps.deviceCookie.read(request.get('cookie')), { fetchSite }),
  };
}
