import { z } from 'zod';
import { endpoint, json } from '../endpoint.js';
import * as scalars from '../scalars.js';
import { fqdnCountsSchema } from './fqdn-lists.js';
import { sortedPageQuery } from './pages.js';
import { byId, messageSchema } from './replies.js';
import { permissionLevels, policyPresences, spaceSorts } from './words.js';

export const spaceSchema = z
  .object({
    id: scalars.uuid,
    name: z.string(),
    description: z.string(),
    createdAt: scalars.instant,
    /** Whether the monitor watches its FQDNs; shown only where it does not. */
    watchEnabled: z.boolean().optional(),
    /** These three only where the request includes counts: what the caller may do, its FQDNs, and the next end. */
    level: z.enum(permissionLevels).optional(),
    counts: fqdnCountsSchema.optional(),
    /** When the first certificate ends that has not. */
    nextExpiry: scalars.instant.optional(),
  })
  .meta({ id: 'Space' });
export type Space = z.output<typeof spaceSchema>;

/** A space with what the caller may do in it. */
export const ownSpaceSchema = spaceSchema
  .extend({ level: z.enum(permissionLevels), counts: fqdnCountsSchema })
  .meta({ id: 'OwnSpace' });
export type OwnSpace = z.output<typeof ownSpaceSchema>;

export const spacesContract = {
  listSpaces: endpoint({
    method: 'GET',
    path: '/spaces',
    documented: true,
    summary: 'List the spaces that the caller may read',
    query: z.object({
      // part of the name
      q: scalars.searchText(100).optional(),
      // whether an issuance policy, its own or the default one, limits the space
      policy: z.enum(policyPresences).optional(),
      sort: z.enum(spaceSorts).optional(),
      include: z.literal('counts').optional(),
      ...sortedPageQuery,
    }),
    responses: { 200: json(z.array(spaceSchema), 'Spaces') },
    failures: [400, 401],
  }),
  createSpace: endpoint({
    method: 'POST',
    path: '/spaces',
    documented: true,
    summary: 'Create a space; a repeated request with the same Idempotency-Key header returns the same space',
    body: {
      kind: 'json',
      schema: z.object({
        name: scalars.line(100),
        description: scalars.prose(1000).optional(),
        // Whether the monitor watches its FQDNs; true when absent.
        watchEnabled: z.boolean().optional(),
      }),
    },
    responses: { 201: json(spaceSchema, 'The space') },
    failures: [400, 401, 403, 409],
  }),
  getSpace: endpoint({
    method: 'GET',
    path: '/spaces/{id}',
    summary: 'Show a space',
    params: byId,
    responses: { 200: json(ownSpaceSchema, 'The space') },
    failures: [401, 404],
  }),
  updateSpace: endpoint({
    method: 'PUT',
    path: '/spaces/{id}',
    summary: 'Change the name or description of a space',
    params: byId,
    body: {
      kind: 'json',
      schema: z.object({ name: scalars.line(100), description: scalars.prose(1000) }).partial(),
    },
    responses: { 200: json(ownSpaceSchema, 'The space as changed') },
    failures: [400, 401, 403, 404],
  }),
  deleteSpace: endpoint({
    method: 'DELETE',
    path: '/spaces/{id}',
    documented: true,
    summary: 'Delete a space; if it has FQDNs, only with deleteFqdns=true',
    params: byId,
    query: z.object({ deleteFqdns: scalars.queryFlag }),
    responses: { 200: json(messageSchema, 'Deleted') },
    failures: [400, 401, 403, 404, 409],
  }),
  setWatchEnabled: endpoint({
    method: 'PUT',
    path: '/spaces/{id}/watch-enabled',
    summary: 'Switch whether the monitor watches the FQDNs of a space',
    params: byId,
    body: { kind: 'json', schema: z.object({ watchEnabled: z.boolean() }) },
    responses: { 200: json(messageSchema, 'Switched') },
    failures: [400, 401, 403, 404],
  }),
};
