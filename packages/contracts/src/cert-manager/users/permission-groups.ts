import { z } from 'zod';
import { endpoint, json } from '../../endpoint.js';
import * as scalars from '../../scalars.js';
import { pageQuery } from '../pages.js';
import { byId, messageSchema } from '../replies.js';
import { permissionLevels } from '../words.js';

export const permissionGroupSchema = z
  .object({
    id: scalars.uuid,
    name: z.string(),
    description: z.string(),
    permission: z.enum(permissionLevels),
    spaceIds: z.array(scalars.uuid),
    createdAt: scalars.instant,
    /** True when the group reaches every space, those made later included. */
    allSpaces: z.boolean().optional(),
    /** Members; shown to administrators only. */
    userIds: z.array(scalars.uuid).optional(),
  })
  .meta({ id: 'PermissionGroup' });
export type PermissionGroup = z.output<typeof permissionGroupSchema>;

/** Who belongs to a group. */
export const groupMembersSchema = z
  .object({ userIds: z.array(scalars.uuid) })
  .meta({ id: 'PermissionGroupMembers' });
export type GroupMembers = z.output<typeof groupMembersSchema>;

const byMember = z.object({ id: scalars.uuid, userId: scalars.uuid });

const scope = {
  description: scalars.prose(1000).optional(),
  spaceIds: z.array(scalars.uuid).optional(),
  allSpaces: z.boolean().optional(),
  userIds: z.array(scalars.uuid).optional(),
};

export const permissionGroupsContract = {
  listPermissionGroups: endpoint({
    method: 'GET',
    path: '/permission-groups',
    documented: true,
    summary: 'List permission groups',
    query: z.object(pageQuery),
    responses: { 200: json(z.array(permissionGroupSchema), 'All groups') },
    failures: [400, 401, 403],
  }),
  createPermissionGroup: endpoint({
    method: 'POST',
    path: '/permission-groups',
    documented: true,
    summary: 'Create a permission group; FULL_ACCESS without spaces reaches all of them',
    body: {
      kind: 'json',
      schema: z.object({ name: scalars.line(100), permission: z.enum(permissionLevels), ...scope }),
    },
    responses: { 201: json(permissionGroupSchema, 'The group') },
    failures: [400, 401, 403],
  }),
  getPermissionGroup: endpoint({
    method: 'GET',
    path: '/permission-groups/{id}',
    documented: true,
    summary: 'Show a permission group',
    params: byId,
    responses: { 200: json(permissionGroupSchema, 'The group') },
    failures: [401, 403, 404],
  }),
  updatePermissionGroup: endpoint({
    method: 'PUT',
    path: '/permission-groups/{id}',
    documented: true,
    summary: 'Change a permission group',
    params: byId,
    body: {
      kind: 'json',
      schema: z.object({
        name: scalars.line(100).optional(),
        permission: z.enum(permissionLevels).optional(),
        ...scope,
      }),
    },
    responses: { 200: json(permissionGroupSchema, 'The group as changed') },
    failures: [400, 401, 403, 404],
  }),
  deletePermissionGroup: endpoint({
    method: 'DELETE',
    path: '/permission-groups/{id}',
    documented: true,
    summary: 'Delete a permission group',
    params: byId,
    responses: { 200: json(messageSchema, 'Deleted') },
    failures: [401, 403, 404],
  }),
  listGroupMembers: endpoint({
    method: 'GET',
    path: '/permission-groups/{id}/members',
    summary: 'List the members of a permission group',
    params: byId,
    responses: { 200: json(groupMembersSchema, 'The members') },
    failures: [401, 403, 404],
  }),
  setGroupMembers: endpoint({
    method: 'PUT',
    path: '/permission-groups/{id}/members',
    summary: 'Replace the members of a permission group',
    params: byId,
    body: { kind: 'json', schema: z.object({ userIds: z.array(scalars.uuid) }) },
    responses: { 200: json(groupMembersSchema, 'The members as changed') },
    failures: [400, 401, 403, 404],
  }),
  addGroupMember: endpoint({
    method: 'POST',
    path: '/permission-groups/{id}/members/{userId}',
    summary: 'Add a user to a permission group; succeeds if they are a member already',
    params: byMember,
    responses: { 200: json(messageSchema, 'Belongs to it') },
    failures: [401, 403, 404],
  }),
  removeGroupMember: endpoint({
    method: 'DELETE',
    path: '/permission-groups/{id}/members/{userId}',
    summary: 'Remove a user from a permission group',
    params: byMember,
    responses: { 200: json(messageSchema, 'Removed') },
    failures: [401, 403, 404],
  }),
};
