import { z } from 'zod';
import { empty, endpoint, json } from '../endpoint.js';
import { alertReachSchema } from './alert-reach.js';

/** The key that a request is sent with. */
export const ownKeySchema = z
  .object({
    kind: z.enum(['read-write', 'read-only']),
    project: z.object({ id: z.string(), name: z.string() }),
    /** Whether the alerts of the project reach people; with `include=alerts`, and only for a read-write key. */
    alerts: alertReachSchema.optional(),
  })
  .meta({ id: 'OwnKey' });

export const keysContract = {
  getOwnKey: endpoint({
    method: 'GET',
    path: '/key',
    summary: 'Show the project and the kind of the key of this request',
    // any other value is ignored, as in the queries of integrations
    query: z.object({
      include: z.string().optional(),
      /** Only checks with this tag count in `alerts`. */
      tag: z.string().optional(),
    }),
    responses: { 200: json(ownKeySchema, 'Kind of the key, and its project') },
    failures: [401],
  }),
  revokeOwnKey: endpoint({
    method: 'DELETE',
    path: '/key',
    summary: 'Revoke the read-write key of this request',
    responses: { 204: empty('Revoked') },
    failures: [401],
  }),
};
