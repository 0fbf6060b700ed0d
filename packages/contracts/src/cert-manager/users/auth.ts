import { z } from 'zod';
import { endpoint, json } from '../../endpoint.js';
import * as scalars from '../../scalars.js';
import { byId, messageSchema } from '../replies.js';
import { permissionLevels } from '../words.js';
import { apiTokenSchema, apiTokensContract } from './api-tokens.js';
import { emailInput, passwordInput, usernameInput, userSchema } from './users.js';

export const loginSchema = z.object({ user: userSchema, csrfToken: z.string() }).meta({ id: 'Login' });

export type Login = z.output<typeof loginSchema>;

/** State that a page needs before anybody has signed in. */
export const authStateSchema = z
  .object({
    /** No administrator was ever made: `POST /auth/bootstrap` makes the first one. */
    needsSetup: z.boolean(),
    authMode: z.enum(['required', 'open']),
    passwordMinLength: z.int(),
    /** Address of the monitor for browsers, where one is set. */
    monitorUrl: z.string().optional(),
  })
  .meta({ id: 'AuthState' });

export type AuthState = z.output<typeof authStateSchema>;

/** Who the caller is: `csrfToken` for a session, `token` for a caller with an API token. */
export const meSchema = z
  .object({
    user: userSchema,
    csrfToken: z.string().optional(),
    token: apiTokenSchema
      .pick({ id: true, name: true, scope: true, expiresAt: true, spaceIds: true })
      .optional(),
    /** Rights of the caller beyond single spaces. */
    rights: z.object({
      isAdmin: z.boolean(),
      hasFullAccess: z.boolean(),
      /** Level on every space, those made later included. */
      everywhere: z.enum(permissionLevels).optional(),
    }),
    /** Of a session: when it ends if it is not used, and when in any case. */
    session: z.object({ idleEndsAt: scalars.instant, endsAt: scalars.instant }).optional(),
  })
  .meta({ id: 'Me' });

export type Me = z.output<typeof meSchema>;

/** A session of the caller's account. */
export const ownSessionSchema = z
  .object({
    id: scalars.uuid,
    createdAt: scalars.instant,
    /** Behind the truth by up to a minute. */
    lastUsedAt: scalars.instant,
    /** True for the session of the request. */
    isCurrent: z.boolean(),
  })
  .meta({ id: 'OwnSession' });

export type OwnSession = z.output<typeof ownSessionSchema>;

const sessionsContract = {
  listSessions: endpoint({
    method: 'GET',
    path: '/auth/sessions',
    summary: 'List your open sessions, newest first',
    responses: { 200: json(z.array(ownSessionSchema), 'Sessions') },
    failures: [401, 403],
  }),
  deleteSession: endpoint({
    method: 'DELETE',
    path: '/auth/sessions/{id}',
    summary: 'End one of your sessions',
    params: byId,
    responses: { 200: json(messageSchema, 'Ended') },
    failures: [401, 403, 404],
  }),
  getAuthState: endpoint({
    method: 'GET',
    path: '/auth/state',
    summary: 'Show how to sign in: whether there is an administrator, and the rules for passwords',
    public: true,
    responses: { 200: json(authStateSchema, 'The state') },
    failures: [],
  }),
  login: endpoint({
    method: 'POST',
    path: '/auth/login',
    summary: 'Open a session; the response sets its cookie',
    public: true,
    body: { kind: 'json', schema: z.object({ username: z.string(), password: z.string() }) },
    responses: { 200: json(loginSchema, 'The user, and what to send as X-CSRF-Token') },
    failures: [400, 401, 403, 429],
  }),
  logout: endpoint({
    method: 'POST',
    path: '/auth/logout',
    summary: 'Close the session',
    responses: { 200: json(messageSchema, 'Closed') },
    failures: [401, 403],
  }),
  getMe: endpoint({
    method: 'GET',
    path: '/auth/me',
    summary: 'Show who the caller is',
    responses: { 200: json(meSchema, 'The caller') },
    failures: [401],
  }),
  changePassword: endpoint({
    method: 'POST',
    path: '/auth/password',
    summary: 'Change your password; ends all your sessions',
    body: {
      kind: 'json',
      schema: z.object({
        currentPassword: z.string(),
        newPassword: passwordInput,
        /** Revokes all your API tokens. */
        revokeTokens: z.boolean().optional(),
      }),
    },
    responses: { 200: json(messageSchema, 'Changed') },
    failures: [400, 401, 403, 429],
  }),
  bootstrap: endpoint({
    method: 'POST',
    path: '/auth/bootstrap',
    summary: 'Create the first administrator with the setup token; exists only until there is one',
    public: true,
    body: {
      kind: 'json',
      schema: z.object({
        token: z.string(),
        username: usernameInput,
        email: emailInput,
        password: passwordInput,
      }),
    },
    responses: { 201: json(userSchema, 'The administrator') },
    failures: [400, 401, 403, 404, 429],
  }),
};

export const authContract = { ...sessionsContract, ...apiTokensContract };
