import { z } from 'zod';
import { empty, endpoint, json } from '../endpoint.js';
import { accountChecksContract, checkCountsSchema } from './account-checks.js';
import { accountConsoleContract } from './account-console.js';
import { alertReachSchema } from './alert-reach.js';
import { keyKinds, projectRoles } from './words.js';

export const accountUserSchema = z.object({ id: z.string(), email: z.string() }).meta({ id: 'AccountUser' });

/** `checks` over all projects of the account; `projects` that it owns; pings stored of each check. */
export const accountLimitsSchema = z
  .object({
    checks: z.int(),
    checkLimit: z.int(),
    projects: z.int(),
    projectLimit: z.int(),
    pingLimit: z.int(),
  })
  .meta({ id: 'AccountLimits' });

export const accountProjectSchema = z
  .object({ id: z.string(), name: z.string(), role: z.enum(projectRoles), keys: z.array(z.enum(keyKinds)) })
  .meta({ id: 'AccountProject' });

/** Members that `include=counts` adds to a project. */
const projectCounts = {
  counts: checkCountsSchema.optional(),
  channels: z.int().optional(),
  /** Integrations that fail or are disabled. */
  failingChannels: z.int().optional(),
  /** When the status of one of its checks changed last; absent when none ever did. */
  lastFlipAt: z.string().optional(),
  /** Whether its alerts reach people. */
  alerts: alertReachSchema.optional(),
};
export type AccountProject = z.output<typeof accountProjectSchema>;

export const projectMemberSchema = z
  .object({ id: z.string(), email: z.string(), role: z.enum(projectRoles) })
  .meta({ id: 'ProjectMember' });
export type ProjectMember = z.output<typeof projectMemberSchema>;

/** An integration with its settings, without secrets. */
export const accountChannelSchema = z
  .object({
    id: z.string(),
    kind: z.string(),
    label: z.string(),
    name: z.string(),
    settings: z.looseObject({}),
    verified: z.boolean(),
    disabled: z.boolean(),
    last_error: z.string(),
    failing_since: z.string().nullable(),
    held_until: z.string().nullable(),
    last_notify: z.string().nullable(),
    last_duration_ms: z.int().nullable(),
    /** When a message or a test last arrived, sent with the present settings. */
    last_delivered_at: z.string().nullable(),
    /** Why nothing can be sent, such as an account that the monitor lacks; only in lists, absent where nothing is known. */
    cannot_send: z.string().optional(),
    /** Number of checks that notify it; shown with include=counts only. */
    checks: z.int().optional(),
  })
  .meta({ id: 'AccountChannel' });
export type AccountChannel = z.output<typeof accountChannelSchema>;

const sessionSchema = z.object({ user: accountUserSchema, csrfToken: z.string() });
const meSchema = sessionSchema.extend({
  /** When the session ends without use, and when it ends at the latest. */
  session: z.object({ idleEndsAt: z.string(), endsAt: z.string() }),
});

/** State that a page needs before sign-in. */
export const accountStateSchema = z
  .object({
    siteName: z.string(),
    /** False until a user has a password; the command `check-monitor user password` sets one. */
    canSignIn: z.boolean(),
    /** Whether mail can be sent. */
    mail: z.boolean(),
    /** Address of the certificate manager for browsers, where one is set. */
    managerUrl: z.string().optional(),
    /** Domain of the mail addresses of checks, if pings are accepted by mail. */
    pingMailDomain: z.string().optional(),
  })
  .meta({ id: 'AccountState' });
export type AccountState = z.output<typeof accountStateSchema>;

const password = z.string().max(1000);
const email = z.string().max(254);
const name = z.string().max(200);
const settings = z.looseObject({});
// uuids match in upper and lower case
const id = z.string().toLowerCase();
const ofProject = z.object({ projectId: id });
const ofMember = ofProject.extend({ userId: id });
const ofKey = ofProject.extend({ kind: z.enum(keyKinds) });
const ofChannel = ofProject.extend({ channelId: id });
const within = [401, 403, 404];

/**
 * API for browsers: sign in and manage projects. A signed-in user has a cookie; requests that change data also need the
 * header X-CSRF-Token and must come from a page of this service.
 */
export const accountContract = {
  getState: endpoint({
    method: 'GET',
    path: '/state',
    summary: 'Show how to sign in, and whether there is a user with a password',
    public: true,
    responses: { 200: json(accountStateSchema, 'The state') },
    failures: [],
  }),
  login: endpoint({
    method: 'POST',
    path: '/login',
    summary: 'Sign in; sets the cookie of the session',
    public: true,
    body: { kind: 'json', schema: z.object({ email, password }) },
    responses: { 200: json(sessionSchema, 'The user, and the token that changes need') },
    failures: [400, 401, 403, 429],
  }),
  logout: endpoint({
    method: 'POST',
    path: '/logout',
    summary: 'Sign out',
    responses: { 204: empty('Signed out') },
    failures: [401, 403],
  }),
  getMe: endpoint({
    method: 'GET',
    path: '/me',
    summary: 'Show who is signed in',
    responses: { 200: json(meSchema, 'The user, the token that changes need, and the end of the session') },
    failures: [401],
  }),
  getLimits: endpoint({
    method: 'GET',
    path: '/limits',
    summary: 'Show the limits of the account and their use',
    responses: { 200: json(accountLimitsSchema, 'The limits') },
    failures: [401],
  }),
  changePassword: endpoint({
    method: 'POST',
    path: '/password',
    summary: 'Change the password; ends all sessions',
    body: { kind: 'json', schema: z.object({ currentPassword: password, newPassword: password }) },
    responses: { 204: empty('Changed') },
    failures: [400, 401, 403, 429],
  }),
  listProjects: endpoint({
    method: 'GET',
    path: '/projects',
    summary: 'List the projects that the user owns or is a member of',
    query: z.object({ include: z.enum(['counts']).optional() }),
    responses: {
      200: json(
        z.object({ projects: z.array(accountProjectSchema.extend(projectCounts)) }),
        'Projects, with the counts of their checks and integrations if asked',
      ),
    },
    failures: [400, 401],
  }),
  createProject: endpoint({
    method: 'POST',
    path: '/projects',
    summary: 'Create a project',
    body: { kind: 'json', schema: z.object({ name }) },
    responses: { 201: json(accountProjectSchema, 'The new project') },
    failures: [400, 401, 403],
  }),
  getProject: endpoint({
    method: 'GET',
    path: '/projects/{projectId}',
    summary: 'Show a project',
    params: ofProject,
    query: z.object({ include: z.enum(['counts']).optional() }),
    responses: {
      200: json(
        accountProjectSchema.extend(projectCounts),
        'The project, with the counts of its checks and integrations if asked',
      ),
    },
    failures: [400, 401, 404],
  }),
  renameProject: endpoint({
    method: 'PUT',
    path: '/projects/{projectId}',
    summary: 'Rename a project; only for its owner',
    params: ofProject,
    body: { kind: 'json', schema: z.object({ name }) },
    responses: { 200: json(accountProjectSchema, 'The project as renamed') },
    failures: [400, ...within],
  }),
  deleteProject: endpoint({
    method: 'DELETE',
    path: '/projects/{projectId}',
    summary: 'Delete a project with its checks and integrations; only for its owner',
    params: ofProject,
    responses: { 204: empty('Deleted') },
    failures: within,
  }),
  listMembers: endpoint({
    method: 'GET',
    path: '/projects/{projectId}/members',
    summary: 'List the owner and the members of a project',
    params: ofProject,
    responses: { 200: json(z.object({ members: z.array(projectMemberSchema) }), 'Owner and members') },
    failures: [401, 404],
  }),
  putMember: endpoint({
    method: 'POST',
    path: '/projects/{projectId}/members',
    summary: 'Add a member, or change their role; only for the owner',
    params: ofProject,
    body: { kind: 'json', schema: z.object({ email, role: z.enum(['member', 'read-only']) }) },
    responses: { 200: json(projectMemberSchema, 'The member') },
    failures: [400, ...within, 429],
  }),
  removeMember: endpoint({
    method: 'DELETE',
    path: '/projects/{projectId}/members/{userId}',
    summary: 'Remove a member; only for the owner and the member',
    params: ofMember,
    responses: { 204: empty('Removed') },
    failures: within,
  }),
  createKey: endpoint({
    method: 'POST',
    path: '/projects/{projectId}/keys/{kind}',
    summary: 'Create a key, which replaces the earlier one of its kind; only this response contains it',
    params: ofKey,
    responses: { 201: json(z.object({ kind: z.enum(keyKinds), key: z.string() }), 'The new key') },
    failures: within,
  }),
  revokeKey: endpoint({
    method: 'DELETE',
    path: '/projects/{projectId}/keys/{kind}',
    summary: 'Revoke a key',
    params: ofKey,
    responses: { 204: empty('Revoked') },
    failures: within,
  }),
  listAccountChannels: endpoint({
    method: 'GET',
    path: '/projects/{projectId}/channels',
    summary: 'List the integrations of a project with their settings',
    params: ofProject,
    query: z.object({ include: z.enum(['counts']).optional() }),
    responses: {
      200: json(
        z.object({ channels: z.array(accountChannelSchema) }),
        'Integrations, with the number of checks that notify each if asked',
      ),
    },
    failures: [400, 401, 404],
  }),
  createChannel: endpoint({
    method: 'POST',
    path: '/projects/{projectId}/channels',
    summary: 'Create an integration that all checks of the project notify, unless assign is false',
    params: ofProject,
    body: {
      kind: 'json',
      schema: z.object({ kind: z.string(), name: z.string(), settings, assign: z.boolean().optional() }),
    },
    responses: { 201: json(accountChannelSchema, 'The new integration') },
    failures: [400, ...within, 429],
  }),
  editChannel: endpoint({
    method: 'PUT',
    path: '/projects/{projectId}/channels/{channelId}',
    summary: 'Edit an integration; secrets that the settings do not contain stay unchanged',
    params: ofChannel,
    body: { kind: 'json', schema: z.object({ name: z.string(), settings }).partial() },
    responses: { 200: json(accountChannelSchema, 'The integration as edited') },
    failures: [400, ...within, 429],
  }),
  deleteChannel: endpoint({
    method: 'DELETE',
    path: '/projects/{projectId}/channels/{channelId}',
    summary: 'Delete an integration',
    params: ofChannel,
    responses: { 204: empty('Deleted') },
    failures: within,
  }),
  testChannel: endpoint({
    method: 'POST',
    path: '/projects/{projectId}/channels/{channelId}/test',
    summary: 'Send a test message',
    params: ofChannel,
    responses: { 200: json(z.object({ ok: z.boolean(), error: z.string() }), 'What became of it') },
    failures: within,
  }),
  ...accountChecksContract,
  ...accountConsoleContract,
};
