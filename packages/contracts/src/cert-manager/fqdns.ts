import { z } from 'zod';
import { endpoint, json } from '../endpoint.js';
import * as scalars from '../scalars.js';
import { csrFindingSchema } from './certificates/csrs.js';
import { chainExpiresAt } from './chain-end.js';
import {
  fqdnChangeResultSchema,
  fqdnChangeSchema,
  fqdnCountsSchema,
  fqdnQuery,
  maxReviewedNames,
  ownerText,
  reviewedNameSchema,
  tagList,
} from './fqdn-lists.js';
import { byFqdn, byId, confirmation, countSchema, deleteSchema, messageSchema } from './replies.js';
import {
  certificateSources,
  chainStates,
  fqdnActivities,
  fqdnStates,
  permissionLevels,
  renewalOutlooks,
  renewalOwners,
  targetProtocols,
} from './words.js';

/** The state of an FQDN at the moment of the answer. */
export const fqdnStatusSchema = z
  .object({
    state: z.enum(fqdnStates),
    /** The same for people, and what to do. */
    reason: z.string(),
    /** From when a person is needed unless something happens before; absent for never. */
    attentionAt: scalars.instant.optional(),
    activity: z.enum(fqdnActivities).optional(),
    outlook: z.enum(renewalOutlooks),
    renewAt: scalars.instant.optional(),
    /** The newest one. */
    certificate: z
      .object({
        id: scalars.uuid,
        notBefore: scalars.instant,
        expiresAt: scalars.instant,
        chainExpiresAt,
        issuer: z.string(),
        serialNumber: z.string(),
        keyAlgorithm: z.string(),
        /** Where one that no provider issued was found. */
        source: z.enum(certificateSources).optional(),
        /** Absent for one of an earlier version that has not been read yet. */
        chain: z.enum(chainStates).optional(),
      })
      .optional(),
    renewedBy: z.enum(renewalOwners),
    /** The ACME client that is expected to renew it; of several, the one that needs people first. */
    acmeClient: z
      .object({
        id: scalars.uuid,
        name: z.string(),
        userAgent: z.string(),
        lastSeenAt: scalars.instant,
        lastSeenFrom: z.string(),
        /** How many accounts of ACME clients are expected to renew it. */
        lineages: z.int(),
      })
      .optional(),
    /** FQDN of the space whose ACME client has a certificate with this name, too; only without a certificate of its own. */
    coveredBy: z.object({ fqdnId: scalars.uuid, fqdn: z.string() }).optional(),
    /** How the servers of its targets come to TLS; absent without targets. */
    protocols: z.array(z.enum(targetProtocols)).optional(),
    /** The newest one. */
    csr: z
      .object({ id: scalars.uuid, createdAt: scalars.instant, findings: z.array(csrFindingSchema) })
      .optional(),
    /** Last failure that is not mended yet. */
    lastFailure: z.object({ at: scalars.instant, message: z.string() }).optional(),
    /** Page of its check in the monitor. */
    watchUrl: z.string().optional(),
  })
  .meta({ id: 'FqdnStatus' });
export type FqdnStatus = z.output<typeof fqdnStatusSchema>;

export const fqdnSchema = z
  .object({
    id: scalars.uuid,
    spaceId: scalars.uuid,
    fqdn: z.string(),
    description: z.string(),
    createdAt: scalars.instant,
    renewalEnabled: z.boolean(),
    providerId: scalars.uuid.optional(),
    /** Share of a certificate's lifetime after which it is renewed, where this FQDN has one of its own. */
    renewAfterFraction: z.number().optional(),
    /** People accept until then that nothing renews the certificate, where they do. */
    expiryAcceptedUntil: scalars.instant.optional(),
    /** Who is responsible for it; absent unless set. */
    owner: z.string().optional(),
    /** Sorted; absent unless set. */
    tags: z.array(z.string()).optional(),
    /** Fact that deserves attention, such as a provider that is disabled; only in the answer to a creation. */
    warning: z.string().optional(),
    /** Only where the request includes it. */
    status: fqdnStatusSchema.optional(),
    /** These two with the status in a list of all spaces: its space, and what the caller may do there. */
    spaceName: z.string().optional(),
    level: z.enum(permissionLevels).optional(),
  })
  .meta({ id: 'Fqdn' });
export type Fqdn = z.output<typeof fqdnSchema>;

/** An FQDN with its space, and what the caller may do there. */
export const ownFqdnSchema = fqdnSchema
  .extend({ spaceName: z.string(), level: z.enum(permissionLevels), status: fqdnStatusSchema })
  .meta({ id: 'OwnFqdn' });
export type OwnFqdn = z.output<typeof ownFqdnSchema>;

// These two answer 200 with a count of 0 for an id that names nothing, a malformed one too.
const byAnyId = z.object({ id: z.string() });

export const fqdnsContract = {
  countFqdns: endpoint({
    method: 'GET',
    path: '/spaces/{id}/fqdns/count',
    documented: true,
    summary: 'Count the FQDNs of a space',
    params: byAnyId,
    responses: { 200: json(countSchema, 'The count') },
    failures: [401],
  }),
  listAllFqdns: endpoint({
    method: 'GET',
    path: '/fqdns',
    summary: 'List the FQDNs of all spaces that the caller may read, in pages of at most 1000',
    query: z.object({ spaceId: scalars.uuid.optional(), ...fqdnQuery }),
    responses: { 200: json(z.array(fqdnSchema), 'FQDNs') },
    failures: [400, 401],
  }),
  countFqdnStates: endpoint({
    method: 'GET',
    path: '/fqdns/counts',
    summary: 'Count the FQDNs of all spaces that the caller may read, by their states',
    query: z.object({ spaceId: scalars.uuid.optional(), q: fqdnQuery.q }),
    responses: { 200: json(fqdnCountsSchema, 'The counts') },
    failures: [400, 401],
  }),
  changeFqdns: endpoint({
    method: 'POST',
    path: '/fqdns/bulk',
    summary: 'Switch the renewal of many FQDNs, or set provider, owner or tags, 100 in each transaction',
    body: { kind: 'json', schema: fqdnChangeSchema },
    responses: { 200: json(fqdnChangeResultSchema, 'What changed, and what was skipped') },
    failures: [400, 401, 403, 409],
  }),
  listFqdns: endpoint({
    method: 'GET',
    path: '/spaces/{id}/fqdns',
    documented: true,
    summary: 'List the FQDNs of a space',
    params: byId,
    query: z.object(fqdnQuery),
    responses: { 200: json(z.array(fqdnSchema), 'FQDNs') },
    failures: [400, 401, 404],
  }),
  createFqdn: endpoint({
    method: 'POST',
    path: '/spaces/{id}/fqdns',
    documented: true,
    summary: 'Add an FQDN to a space',
    params: byId,
    body: {
      kind: 'json',
      schema: z.object({
        // Its form is judged after conversion to ASCII (RFC 5891), which this bound only keeps cheap.
        fqdn: z.string().max(1000),
        description: scalars.prose(1000).optional(),
        providerId: scalars.uuid.optional(),
        owner: ownerText.optional(),
        tags: tagList.optional(),
      }),
    },
    responses: { 201: json(fqdnSchema, 'The FQDN') },
    failures: [400, 401, 403, 404, 409],
  }),
  reviewFqdns: endpoint({
    method: 'POST',
    path: '/spaces/{id}/fqdns/review',
    summary: 'Validate names before you add them to a space; nothing is stored',
    params: byId,
    body: {
      kind: 'json',
      schema: z.object({ names: z.array(z.string().max(1000)).min(1).max(maxReviewedNames) }),
    },
    responses: { 200: json(z.array(reviewedNameSchema), 'A verdict for each name, in the same order') },
    failures: [400, 401, 403, 404],
  }),
  deleteSpaceFqdns: endpoint({
    method: 'DELETE',
    path: '/spaces/{id}/fqdns',
    documented: true,
    summary: 'Delete the FQDNs of a space',
    params: byAnyId,
    responses: { 200: json(deleteSchema, 'How many were deleted') },
    failures: [401, 403],
  }),
  getFqdn: endpoint({
    method: 'GET',
    path: '/spaces/{id}/fqdns/{fqdnId}',
    summary: 'Show an FQDN',
    params: byId.extend({ fqdnId: scalars.uuid }),
    responses: { 200: json(ownFqdnSchema, 'The FQDN') },
    failures: [401, 404],
  }),
  updateFqdn: endpoint({
    method: 'PUT',
    path: '/spaces/{id}/fqdns/{fqdnId}',
    summary: 'Change description, provider, owner or tags of an FQDN',
    params: byId.extend({ fqdnId: scalars.uuid }),
    body: {
      kind: 'json',
      schema: z.object({
        description: scalars.prose(1000).optional(),
        // Null for none.
        providerId: scalars.uuid.nullable().optional(),
        // Null for none.
        owner: ownerText.nullable().optional(),
        // Replaces all tags.
        tags: tagList.optional(),
      }),
    },
    responses: { 200: json(ownFqdnSchema, 'The FQDN as changed') },
    failures: [400, 401, 403, 404],
  }),
  deleteFqdn: endpoint({
    method: 'DELETE',
    path: '/spaces/{id}/fqdns/{fqdnId}',
    documented: true,
    summary: 'Delete an FQDN with its CSRs and certificates',
    params: byId.extend({ fqdnId: scalars.uuid }),
    responses: { 200: json(messageSchema, 'Deleted') },
    failures: [401, 403, 404],
  }),
  deleteAllFqdns: endpoint({
    method: 'DELETE',
    path: '/fqdns',
    documented: true,
    summary: 'Delete the FQDNs of all spaces',
    query: confirmation,
    responses: { 200: json(deleteSchema, 'How many were deleted') },
    failures: [400, 401, 403],
  }),
  setRenewalEnabled: endpoint({
    method: 'PUT',
    path: '/spaces/{spaceId}/fqdns/{fqdnId}/renewal-enabled',
    documented: true,
    summary: 'Switch automatic renewal of an FQDN',
    params: byFqdn,
    body: {
      kind: 'json',
      schema: z.object({
        renewalEnabled: z.boolean(),
        // Share of the lifetime after which to renew; null for the usual one, absent for no change.
        renewAfterFraction: z.number().min(0.1).max(0.9).nullable().optional(),
      }),
    },
    responses: { 200: json(messageSchema, 'Switched') },
    failures: [400, 401, 403, 404],
  }),
  setExpiryAccepted: endpoint({
    method: 'PUT',
    path: '/spaces/{spaceId}/fqdns/{fqdnId}/expiry-accepted',
    summary:
      'Accept that the certificate of an FQDN expires, so that no one is alerted, or end the acceptance',
    params: byFqdn,
    body: {
      kind: 'json',
      schema: z.object({
        accepted: z.boolean(),
        // At most a year ahead; the end of the newest certificate when absent.
        until: scalars.instant.optional(),
      }),
    },
    responses: { 200: json(fqdnSchema, 'The FQDN') },
    failures: [400, 401, 403, 404],
  }),
};
