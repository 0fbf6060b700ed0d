import { z } from 'zod';
import { empty, endpoint, json } from '../endpoint.js';

/** The key that a request is sent with. */
export const ownKeySchema = z
  .object({
    kind: z.enum(['read-write', 'read-only']),
    project: z.object({ id: z.string(), name: z.string() }),
  })
  .meta({ id: 'OwnKey' });

export const keysContract = {
  getOwnKey: endpoint({
    method: 'GET',
    path: '/key',
    summary: 'Show the project and the kind of the key of this request',
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
