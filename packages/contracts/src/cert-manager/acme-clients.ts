import { z } from 'zod';
import { endpoint, json } from '../endpoint.js';
import * as scalars from '../scalars.js';
import { listOf, namesLists } from './issuance-policy.js';
import { pageQuery } from './pages.js';
import { messageSchema } from './replies.js';
import { acmeClientStates, acmeOrderStates } from './words.js';

/** Names that an ACME client may have certificates for: the lists of an issuance policy. */
const clientNamesSchema = z.object({
  names: z.array(z.string()),
  suffixes: z.array(z.string()),
  wildcards: z.boolean(),
  cidrs: z.array(z.string()),
});
export type ClientNames = z.output<typeof clientNamesSchema>;

// strict, as a member that is spelt wrongly would be without effect
const sentNames = z.strictObject({
  names: namesLists.names.optional(),
  suffixes: namesLists.suffixes.optional(),
  wildcards: z.boolean().optional(),
  cidrs: namesLists.cidrs.optional(),
});
export type SentClientNames = z.output<typeof sentNames>;

const clientAccountSchema = z.object({
  status: z.enum(['valid', 'deactivated', 'ended']),
  /** The thumbprint of its key (RFC 7638). */
  thumbprint: z.string(),
  contacts: z.array(z.string()),
  createdAt: scalars.instant,
  lastSeenAt: scalars.instant,
  userAgent: z.string(),
  ipAddress: z.string(),
});

const clientOrderSchema = z.object({
  names: z.array(z.string()),
  state: z.enum(acmeOrderStates),
  createdAt: scalars.instant,
  /** Why it failed. */
  problem: z.string().optional(),
});

/** Machines that use an ACME client, and what for. */
const clientUseSchema = z.object({
  accountCount: z.int(),
  /** The accounts that were seen last: at most 10 in a list, 100 of a single client. */
  accounts: z.array(clientAccountSchema),
  lastSeenAt: scalars.instant,
  fqdnCount: z.int(),
  /** FQDNs that it ordered certificates for, by name, at most as many as accounts. */
  fqdns: z.array(z.object({ id: scalars.uuid, fqdn: z.string() })),
  lastOrder: clientOrderSchema.optional(),
});
export type ClientUse = z.output<typeof clientUseSchema>;

/** A name and a key by which ACME clients obtain certificates in a space; the key itself is never shown again. */
export const acmeClientSchema = z
  .object({
    id: scalars.uuid,
    spaceId: scalars.uuid,
    name: z.string(),
    /** Identifier of the key for External Account Binding (RFC 8555 §7.3.4). */
    kid: z.string(),
    directoryUrl: z.string(),
    state: z.enum(acmeClientStates),
    /** Null: all names that the issuance policy of the space allows. */
    names: clientNamesSchema.nullable(),
    /** Null: the provider of the FQDN, else the built-in one for ACME. */
    providerId: scalars.uuid.nullable(),
    /** Whether an order may add its FQDN to the space. */
    createFqdns: z.boolean(),
    /** Whether it may order for an FQDN that has a CSR, renewal or certificate of a person or API token. */
    mayTakeOver: z.boolean(),
    /** Addresses that it may come from, in CIDR notation; empty when from anywhere. */
    allowedCidrs: z.array(z.string()),
    expiresAt: scalars.instant.nullable(),
    maxOrdersPerDay: z.int(),
    /** Accounts that were seen in 90 days. */
    maxAccounts: z.int(),
    createdBy: z.object({ userId: scalars.uuid, username: z.string() }),
    createdAt: scalars.instant,
    changedAt: scalars.instant,
    /** Since when the key is valid. */
    keyChangedAt: scalars.instant,
    /** Absent until an account was registered with its key. */
    use: clientUseSchema.optional(),
  })
  .meta({ id: 'AcmeClient' });
export type AcmeClient = z.output<typeof acmeClientSchema>;

/** An ACME client with `hmacKey`, its new key; shown this once. */
export const newAcmeClientSchema = acmeClientSchema
  .extend({
    /** 256 bits in base64url, as ACME clients take it. */
    hmacKey: z.string(),
    /** Settings that will keep clients from working. */
    warnings: z.array(z.object({ code: z.string(), message: z.string() })),
  })
  .meta({ id: 'NewAcmeClient' });
export type NewAcmeClient = z.output<typeof newAcmeClientSchema>;

const settings = {
  names: sentNames.nullable().optional(),
  providerId: scalars.uuid.nullable().optional(),
  createFqdns: z.boolean().optional(),
  mayTakeOver: z.boolean().optional(),
  allowedCidrs: listOf(z.string().max(100), 100).optional(),
  expiresAt: scalars.instant.nullable().optional(),
  maxOrdersPerDay: z.int().min(1).max(100_000).optional(),
  maxAccounts: z.int().min(1).max(10_000).optional(),
};

const bySpace = z.object({ spaceId: scalars.uuid });
const byClient = bySpace.extend({ id: scalars.uuid });

export const acmeClientsContract = {
  createAcmeClient: endpoint({
    method: 'POST',
    path: '/spaces/{spaceId}/acme-clients',
    summary: 'Create an ACME client of a space; only this response contains its key',
    params: bySpace,
    body: { kind: 'json', schema: z.strictObject({ name: scalars.line(64), ...settings }) },
    responses: { 201: json(newAcmeClientSchema, 'The client with its key') },
    failures: [400, 401, 403, 404, 409],
  }),
  listAcmeClients: endpoint({
    method: 'GET',
    path: '/spaces/{spaceId}/acme-clients',
    summary: 'List the ACME clients of a space, with who uses them',
    params: bySpace,
    query: z.object(pageQuery),
    responses: { 200: json(z.array(acmeClientSchema), 'ACME clients, oldest first') },
    failures: [400, 401, 404],
  }),
  getAcmeClient: endpoint({
    method: 'GET',
    path: '/spaces/{spaceId}/acme-clients/{id}',
    summary: 'Show an ACME client, with who uses it',
    params: byClient,
    responses: { 200: json(acmeClientSchema, 'The client') },
    failures: [401, 404],
  }),
  updateAcmeClient: endpoint({
    method: 'PUT',
    path: '/spaces/{spaceId}/acme-clients/{id}',
    summary: 'Change an ACME client; what it may no longer have is refused from now on',
    params: byClient,
    body: { kind: 'json', schema: z.strictObject({ name: scalars.line(64).optional(), ...settings }) },
    responses: { 200: json(acmeClientSchema, 'The client') },
    failures: [400, 401, 403, 404, 409],
  }),
  rekeyAcmeClient: endpoint({
    method: 'POST',
    path: '/spaces/{spaceId}/acme-clients/{id}/key',
    summary: 'Replace the key of an ACME client at once; accounts that it has registered stay',
    params: byClient,
    responses: { 200: json(newAcmeClientSchema, 'The client with its new key') },
    failures: [400, 401, 403, 404],
  }),
  deleteAcmeClient: endpoint({
    method: 'DELETE',
    path: '/spaces/{spaceId}/acme-clients/{id}',
    summary: 'Delete an ACME client: its key and its accounts end at once, its certificates stay',
    params: byClient,
    responses: { 200: json(messageSchema, 'Deleted') },
    failures: [401, 403, 404],
  }),
};
