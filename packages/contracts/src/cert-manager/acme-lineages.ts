import { z } from 'zod';
import { endpoint, json } from '../endpoint.js';
import * as scalars from '../scalars.js';
import { pageQuery } from './pages.js';
import { byFqdn } from './replies.js';
import { lineageStates } from './words.js';

/** Orders of one account of an ACME client for an FQDN, for the same names and with keys of one kind. */
export const acmeLineageSchema = z
  .object({
    /** Identifies it, hex. */
    lineage: z.string(),
    state: z.enum(lineageStates),
    /** One sentence for people. */
    message: z.string(),
    client: z.object({
      id: scalars.uuid,
      /** Absent if it was deleted. */
      name: z.string().optional(),
    }),
    /** Name and version of the program, as in `certbot 2.1`; absent if it does not name itself. */
    agent: z.string().optional(),
    /** As it was sent. */
    userAgent: z.string(),
    lastSeenAt: scalars.instant,
    lastSeenFrom: z.string(),
    names: z.array(z.string()),
    /** Kind of its keys, such as `EC`. */
    keyKind: z.string().optional(),
    certificate: z.object({
      id: scalars.uuid,
      serialNumber: z.string(),
      notBefore: scalars.instant,
      expiresAt: scalars.instant,
      revokedAt: scalars.instant.optional(),
    }),
    /** When the client read its renewalInfo for the first time; absent if it did not. */
    renewalInfoReadAt: scalars.instant.optional(),
    /** By when its next certificate is expected, and from when on people must act; absent if none is expected. */
    expectedAt: scalars.instant.optional(),
    attentionAt: scalars.instant.optional(),
    /** Its last order failed. */
    failure: z.object({ at: scalars.instant, message: z.string() }).optional(),
    /** When a person reported that the machine is gone. */
    releasedAt: scalars.instant.optional(),
  })
  .meta({ id: 'AcmeLineage' });
export type AcmeLineage = z.output<typeof acmeLineageSchema>;

export const acmeLineagesContract = {
  listLineages: endpoint({
    method: 'GET',
    path: '/spaces/{spaceId}/fqdns/{fqdnId}/acme-lineages',
    summary: 'List which ACME clients renew an FQDN, those that need people first',
    params: byFqdn,
    query: z.object({ limit: pageQuery.limit }),
    responses: { 200: json(z.array(acmeLineageSchema), 'What each account renews') },
    failures: [400, 401, 404],
  }),
  releaseLineage: endpoint({
    method: 'POST',
    path: '/spaces/{spaceId}/fqdns/{fqdnId}/acme-lineages/{lineage}/release',
    summary: 'Report that the machine of an ACME client is gone, so that no renewal by it is expected',
    params: byFqdn.extend({ lineage: z.string().max(64) }),
    responses: { 200: json(acmeLineageSchema, 'The lineage') },
    failures: [400, 401, 403, 404],
  }),
};
