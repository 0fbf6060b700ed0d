import type { AuthState, Me } from '@certloop/contracts';
import type { SessionCookie } from '@certloop/server';
import type { Caller } from '../../access/caller.js';
import type { DbDeps } from '../../db-deps.js';
import { created, ok, type SomeHandlers } from '../../http/handlers.js';
import { findOwnToken } from '../api-tokens/api-tokens.service.js';
import { type BootstrapDeps, bootstrapWithToken, needsSetup } from '../setup/bootstrap.service.js';
import { apiTokenView, openModeUser, userView } from '../user-view.js';
import { findOwnAccount } from '../users.service.js';
import { type ChangePasswordDeps, changePassword } from './change-password.service.js';
import { endOwnSession, listOwnSessions } from './own-sessions.service.js';
import { closeSession, findOwnSession, openSession, type SessionsDeps } from './sessions.service.js';

export interface SessionsRoutesDeps extends SessionsDeps, ChangePasswordDeps, BootstrapDeps, DbDeps {
  readonly cookie: SessionCookie;
  readonly deviceCookie: SessionCookie;
  readonly authMode: AuthState['authMode'];
  /** Address of the monitor for browsers. */
  readonly monitorPublicUrl: string | undefined;
}

export function sessionsHandlers(deps: SessionsRoutesDeps) {
  const { cookie, deviceCookie } = deps;
  return {
    getAuthState: async () => ok(await describeState(deps)),
    login: async ({ body, context }) => {
      const { user, secret, csrfToken } = await openSession(deps, context, body);
      const { deviceSecret } = context;
      const device = deviceSecret === undefined ? [] : [deviceCookie.give(deviceSecret)];
      return {
        status: 200,
        body: { user: userView(user), csrfToken },
        headers: { 'Set-Cookie': [cookie.give(secret), ...device] },
      };
    },
    logout: async ({ context }) => {
      await closeSession(deps, context);
      return { status: 200, body: { message: 'signed out' }, headers: { 'Set-Cookie': cookie.take() } };
    },
    listSessions: async ({ context }) =>
      ok(
        (await listOwnSessions(deps, context)).map((session) => ({
          id: session.id,
          createdAt: session.createdAt.toISOString(),
          lastUsedAt: session.lastUsedAt.toISOString(),
          isCurrent: session.id === context.sessionId,
        })),
      ),
    deleteSession: async ({ params, context }) => {
      await endOwnSession(deps, context, params.id);
      return ok({ message: 'session ended' });
    },
    getMe: async ({ context }) => ok(await describeCaller(deps, context)),
    changePassword: async ({ body, context }) => {
      await changePassword(deps, context, body);
      return {
        status: 200,
        body: { message: 'password changed; sign in again' },
        headers: { 'Set-Cookie': cookie.take() },
      };
    },
    bootstrap: async ({ body, context }) => created(userView(await bootstrapWithToken(deps, context, body))),
  } satisfies SomeHandlers;
}

async function describeState(deps: SessionsRoutesDeps): Promise<AuthState> {
  const { authMode, passwordMinLength, monitorPublicUrl } = deps;
  return {
    needsSetup: await needsSetup(deps),
    authMode,
    passwordMinLength,
    ...(monitorPublicUrl !== undefined && { monitorUrl: monitorPublicUrl }),
  };
}

async function describeCaller(deps: SessionsRoutesDeps, caller: Caller): Promise<Me> {
  const user = await findOwnAccount(deps, caller);
  const session = await findOwnSession(deps, caller);
  const token = await findOwnToken(deps, caller);
  return {
    user: user === undefined ? openModeUser : userView(user),
    ...(session !== undefined && { csrfToken: session.csrfToken }),
    ...(token !== undefined && { token: tokenFacts(apiTokenView(token)) }),
    rights: rightsView(caller),
    ...(session !== undefined && {
      session: { idleEndsAt: session.idleEndsAt.toISOString(), endsAt: session.endsAt.toISOString() },
    }),
  };
}

function rightsView({ isAdmin, hasFullAccess, everywhere }: Caller): Me['rights'] {
  return { isAdmin, hasFullAccess, ...(everywhere !== undefined && { everywhere }) };
}

function tokenFacts({ id, name, scope, expiresAt, spaceIds }: ReturnType<typeof apiTokenView>): Me['token'] {
  return { id, name, scope, expiresAt, spaceIds };
}
