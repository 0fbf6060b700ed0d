import { z } from 'zod';
import { endpoint, json } from '../../endpoint.js';
import * as scalars from '../../scalars.js';
import { byId, messageSchema } from '../replies.js';
import { tokenScopes } from '../words.js';

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

const tokenId = z.string().regex(/^[a-z0-9]{8}$/);

export const apiTokensContract = {
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
        /** Yours; required if you signed in more than ten minutes ago. */
        password: z.string().optional(),
      }),
    },
    responses: { 201: json(newApiTokenSchema, 'The token') },
    failures: [400, 401, 403, 429],
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
