import { z } from 'zod';
import { endpoint, json } from '../endpoint.js';
import * as scalars from '../scalars.js';
import { byId, messageSchema } from './replies.js';
import { emailInput, passwordInput, usernameInput, userSchema } from './users.js';
import { permissionLevels, tokenScopes } from './words.js';

/** An API token as it is listed; its secret is never shown again. */
export const apiTokenSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    scope: z.enum(tokenScopes),
    expiresAt: scalars.instant,
    /** Spaces that the token is limited to; null when it reaches all that its owner does. */
    spaceIds: z.array(scalars.uuid).nullable(),
    /** Addresses that it may come from, in CIDR notation; empty when from anywhere. */
    allowedCidrs: z.array(z.string()),
    lastUsedAt: scalars.instant.nullable(),
    lastUsedIp: z.string().nullable(),
    createdAt: scalars.instant,
    /** Of a token that can make its successor: the id of the first one, and the end of them all. */
    familyId: z.string().optional(),
    renewableUntil: scalars.instant.optional(),
  })
  .meta({ id: 'ApiToken' });
export type ApiToken = z.output<typeof apiTokenSchema>;

/** A new API token, with `token`, the text to be sent after `Bearer`; shown this once. */
export const newApiTokenSchema = apiTokenSchema
  .omit({ lastUsedAt: true, lastUsedIp: true })
  .extend({ token: z.string() })
  .meta({ id: 'NewApiToken' });
export type NewApiToken = z.output<typeof newApiTokenSchema>;

export const loginSchema = z.object({ user: userSchema, csrfToken: z.string() }).meta({ id: 'Login' });
export type Login = z.output<typeof loginSchema>;

/** What a page must know before anybody signed in. */
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
    /** What the caller may do beyond single spaces. */
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
      schema: z.object({ currentPassword: z.string(), newPassword: passwordInput }),
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

const tokenId = z.string().regex(/^[a-z0-9]{8}$/);

const apiTokensContract = {
  listApiTokens: endpoint({
    method: 'GET',
    path: '/api-tokens',
    summary: 'List your API tokens',
    responses: { 200: json(z.array(apiTokenSchema), 'Tokens without their secrets') },
    failures: [401, 403],
  }),
  createApiToken: endpoint({
    method: 'POST',
    path: '/api-tokens',
    summary: 'Create an API token; only this response contains its secret',
    body: {
      kind: 'json',
      schema: z.object({
        name: scalars.line(100),
        scope: z.enum(tokenScopes),
        expiresAt: scalars.instant.optional(),
        spaceIds: z.array(scalars.uuid).min(1).max(1000).optional(),
        allowedCidrs: z
          .array(z.union([z.cidrv4(), z.cidrv6()]))
          .max(100)
          .optional(),
        /** Lets the token make its successor, until `renewableUntil`; two years when that is absent. */
        renewable: z.boolean().optional(),
        renewableUntil: scalars.instant.optional(),
      }),
    },
    responses: { 201: json(newApiTokenSchema, 'The token') },
    failures: [400, 401, 403],
  }),
  succeedApiToken: endpoint({
    method: 'POST',
    path: '/api-tokens/self/successor',
    summary:
      'Create the successor of the renewable API token of this request, which ends after 24 h at the latest',
    responses: { 201: json(newApiTokenSchema, 'The successor') },
    failures: [401, 403, 409],
  }),
  deleteOwnApiToken: endpoint({
    method: 'DELETE',
    path: '/api-tokens/self',
    summary: 'Revoke the API token of this request, its predecessors and successors',
    responses: { 200: json(messageSchema, 'Revoked') },
    failures: [401, 403],
  }),
  deleteApiToken: endpoint({
    method: 'DELETE',
    path: '/api-tokens/{id}',
    summary: 'Revoke one of your API tokens, its predecessors and successors',
    params: z.object({ id: tokenId }),
    responses: { 200: json(messageSchema, 'Revoked') },
    failures: [401, 403, 404],
  }),
  listUserApiTokens: endpoint({
    method: 'GET',
    path: '/users/{id}/api-tokens',
    summary: 'List the API tokens of a user',
    params: byId,
    responses: { 200: json(z.array(apiTokenSchema), 'Tokens without their secrets') },
    failures: [401, 403, 404],
  }),
  deleteUserApiToken: endpoint({
    method: 'DELETE',
    path: '/users/{id}/api-tokens/{tokenId}',
    summary: 'Revoke an API token of a user, its predecessors and successors',
    params: byId.extend({ tokenId }),
    responses: { 200: json(messageSchema, 'Revoked') },
    failures: [401, 403, 404],
  }),
};

export const authContract = { ...sessionsContract, ...apiTokensContract };
