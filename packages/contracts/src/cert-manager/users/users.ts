import { z } from 'zod';
import { bytes, endpoint, json } from '../../endpoint.js';
import * as scalars from '../../scalars.js';
import { pageQuery } from '../pages.js';
import { byId, messageSchema } from '../replies.js';
import { permissionGroupSchema } from './permission-groups.js';

export const userSchema = z
  .object({
    id: scalars.uuid,
    username: z.string(),
    email: z.string(),
    isAdmin: z.boolean(),
    enabled: z.boolean(),
    createdAt: scalars.instant,
    /** These three only where the request includes groups: the permission groups of the user, by their ids. */
    groupIds: z.array(scalars.uuid).optional(),
    /** Last sign-in with the password; absent before the first one. */
    lastLoginAt: scalars.instant.optional(),
    hasAvatar: z.boolean().optional(),
  })
  .meta({ id: 'User' });
export type User = z.output<typeof userSchema>;

/** User name as it is chosen: 3 to 64 letters, digits and `._@-`. */
export const usernameInput = z
  .string()
  .regex(/^[A-Za-z0-9._@-]{3,64}$/, 'must be 3 to 64 letters, digits or any of . _ @ -');

/** Mail address, at most 254 characters (RFC 5321 §4.5.3.1.3 less the brackets). */
export const emailInput = z
  .email({ pattern: z.regexes.html5Email, error: 'must be an e-mail address' })
  .max(254);

/** Password as it is chosen; its shortest length is a setting of the service. */
export const passwordInput = z
  .string()
  .min(1)
  .refine((text) => text.isWellFormed(), 'must be well-formed Unicode')
  .refine((text) => [...text].length <= 128, 'must be at most 128 characters')
  .meta({ maxLength: 128 });

/** For each accessible space: whether the caller may do it there. */
const bySpace = z.record(z.string(), z.boolean());

export const userPermissionsSchema = z
  .object({
    isAdmin: z.boolean(),
    hasFullAccess: z.boolean(),
    accessibleSpaces: z.array(scalars.uuid),
    permissions: z.object({
      canCreateSpace: z.boolean(),
      canDeleteSpace: z.boolean(),
      canCreateFqdn: bySpace,
      canDeleteFqdn: bySpace,
      canUploadCSR: bySpace,
      canSignCSR: bySpace,
    }),
    groups: z.array(permissionGroupSchema),
  })
  .meta({ id: 'UserPermissions' });
export type UserPermissions = z.output<typeof userPermissionsSchema>;

const groupIds = z.array(scalars.uuid).optional();

const include = z.literal('groups').optional();

const usersQuery = z.object({
  // Part of the user name or of the e-mail address.
  q: scalars.searchText(254).optional(),
  isAdmin: z.enum(['true', 'false'], 'must be true or false').optional(),
  // Members of this permission group.
  groupId: scalars.uuid.optional(),
  include,
  ...pageQuery,
});
export type UsersQuery = z.output<typeof usersQuery>;

export const usersContract = {
  listUsers: endpoint({
    method: 'GET',
    path: '/users',
    documented: true,
    summary: 'List users',
    query: usersQuery,
    responses: { 200: json(z.array(userSchema), 'All users') },
    failures: [400, 401, 403],
  }),
  createUser: endpoint({
    method: 'POST',
    path: '/users',
    documented: true,
    summary: 'Create a user',
    body: {
      kind: 'json',
      schema: z.object({
        username: usernameInput,
        email: emailInput,
        password: passwordInput,
        isAdmin: z.boolean().optional(),
        groupIds,
      }),
    },
    responses: { 201: json(userSchema, 'The user') },
    failures: [400, 401, 403],
  }),
  getUser: endpoint({
    method: 'GET',
    path: '/users/{id}',
    documented: true,
    summary: 'Show a user',
    params: byId,
    query: z.object({ include }),
    responses: { 200: json(userSchema, 'The user') },
    failures: [400, 401, 403, 404],
  }),
  updateUser: endpoint({
    method: 'PUT',
    path: '/users/{id}',
    documented: true,
    summary: 'Change a user',
    params: byId,
    body: {
      kind: 'json',
      schema: z.object({
        username: usernameInput.optional(),
        email: emailInput.optional(),
        password: passwordInput.optional(),
        isAdmin: z.boolean().optional(),
        enabled: z.boolean().optional(),
        groupIds,
        /** Revokes all API tokens of the user. */
        revokeTokens: z.boolean().optional(),
      }),
    },
    responses: { 200: json(userSchema, 'The user as changed') },
    failures: [400, 401, 403, 404],
  }),
  deleteUser: endpoint({
    method: 'DELETE',
    path: '/users/{id}',
    documented: true,
    summary: 'Delete a user, except yourself and the last enabled administrator',
    params: byId,
    responses: { 200: json(messageSchema, 'Deleted') },
    failures: [400, 401, 403, 404],
  }),
  getAvatar: endpoint({
    method: 'GET',
    path: '/users/{id}/avatar',
    documented: true,
    summary: "Show a user's picture",
    params: byId,
    responses: { 200: bytes('image/png', 'The picture') },
    failures: [401, 404],
  }),
  uploadAvatar: endpoint({
    method: 'POST',
    path: '/users/{id}/avatar',
    documented: true,
    summary: "Replace a user's picture (PNG, JPEG or WebP)",
    params: byId,
    body: { kind: 'multipart', file: 'avatar', fields: z.object({}) },
    responses: { 200: json(messageSchema, 'Stored') },
    failures: [400, 401, 403, 404, 413],
  }),
  deleteAvatar: endpoint({
    method: 'DELETE',
    path: '/users/{id}/avatar',
    summary: "Delete a user's picture",
    params: byId,
    responses: { 200: json(messageSchema, 'Deleted') },
    failures: [401, 403, 404],
  }),
  getUserPermissions: endpoint({
    method: 'GET',
    path: '/users/{id}/permissions',
    summary: 'Show what a user may do',
    params: byId,
    responses: { 200: json(userPermissionsSchema, 'Permissions of the user') },
    failures: [401, 403, 404],
  }),
  getOwnPermissions: endpoint({
    method: 'GET',
    path: '/user/permissions',
    documented: true,
    summary: 'Show what the caller may do',
    responses: { 200: json(userPermissionsSchema, 'Permissions of the caller') },
    failures: [401],
  }),
};
