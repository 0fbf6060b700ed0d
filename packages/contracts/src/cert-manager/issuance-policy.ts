import { z } from 'zod';
import { endpoint, json } from '../endpoint.js';
import * as scalars from '../scalars.js';
import { byId } from './replies.js';

// longest forms: a host name before its conversion to ASCII, and an IPv6 range
const hostnameText = z.string().max(1000, 'must be at most 1000 characters');
const rangeText = z.string().max(100, 'must be at most 100 characters');

export function listOf<Item extends z.ZodType>(item: Item, maximum: number) {
  return z.array(item).max(maximum, `must have at most ${maximum} entries`);
}

/** Lists of names that certificates may have. */
export const namesLists = {
  /** Host names, exactly; also single wildcards such as `*.example.com`. */
  names: listOf(hostnameText, 1000),
  /** Domains: each stands for itself and all names below it. */
  suffixes: listOf(hostnameText, 200),
  /** Ranges of IP addresses; no address is allowed if there are none. */
  cidrs: listOf(rangeText, 200),
};

/** Names that certificates of a space may have. */
const allowedNamesSchema = z.strictObject({
  names: namesLists.names,
  suffixes: namesLists.suffixes,
  /** Whether wildcard names below the suffixes are allowed. */
  wildcards: z.boolean(),
  cidrs: namesLists.cidrs,
  /** Whether a CSR may have names in addition to the FQDN's own. */
  beyondFqdn: z.boolean(),
});
export type AllowedNames = z.output<typeof allowedNamesSchema>;

const limits = {
  allowedNames: allowedNamesSchema.nullable(),
  providerIds: listOf(scalars.uuid, 100).nullable(),
};

/** Rules of what may be issued in a space; null is without a limit. */
export const issuancePolicySchema = z
  .object({
    ...limits,
    isDefault: z
      .literal(true)
      .optional()
      .describe('the space has no policy of its own, and ISSUANCE_POLICY_DEFAULT limits it'),
  })
  .meta({ id: 'IssuancePolicy' });
export type ShownIssuancePolicy = z.output<typeof issuancePolicySchema>;
export type IssuancePolicy = Omit<ShownIssuancePolicy, 'isDefault'>;

// strict, as a member that is spelt wrongly would lift a limit
const sentLimits = {
  allowedNames: limits.allowedNames.optional(),
  providerIds: limits.providerIds.optional(),
};

/** A policy as an operator writes it; what is absent is without a limit. */
export const sentPolicySchema = z.strictObject(sentLimits);

export const refusedSubjects = ['fqdn', 'csr', 'provider'] as const;

/** An FQDN that passes today and would be refused. */
const newlyRefusedSchema = z.object({
  fqdnId: scalars.uuid,
  fqdn: z.string(),
  /** Part of it that is refused first: its own name, a name of its newest CSR, or a provider of its certificates. */
  subject: z.enum(refusedSubjects),
  /** The refused name, or the name of the provider. */
  name: z.string(),
  code: z.enum(['name_not_allowed', 'provider_not_allowed']),
  message: z.string(),
});
export type NewlyRefused = z.output<typeof newlyRefusedSchema>;

/** A policy as it was set, or would be, with what it refuses that was allowed before. */
export const policyChangeSchema = z
  .object({
    ...limits,
    /** False for a dry run. */
    saved: z.boolean(),
    newlyRefused: z.object({
      count: z.int(),
      /** The first 100, by their names. */
      items: z.array(newlyRefusedSchema),
    }),
  })
  .meta({ id: 'IssuancePolicyChange' });
export type IssuancePolicyChange = z.output<typeof policyChangeSchema>;

const holdingSchema = z.object({ spaceId: scalars.uuid, spaceName: z.string(), fqdnId: scalars.uuid });

/** Names that several spaces were issued certificates for. */
export const sharedNamesSchema = z
  .object({
    items: z.array(
      z.object({
        name: z.string(),
        /** Who holds the name, and since when. */
        holder: holdingSchema.extend({ since: scalars.instant }),
        others: z.array(holdingSchema),
      }),
    ),
    /** Whether there are more: of those FQDNs that do not hold their names, the first 1000 are listed. */
    hasMore: z.boolean(),
  })
  .meta({ id: 'SharedNames' });
export type SharedNames = z.output<typeof sharedNamesSchema>;

export const issuancePolicyContract = {
  listSharedNames: endpoint({
    method: 'GET',
    path: '/shared-names',
    summary: 'List names that more than one space was issued certificates for',
    responses: { 200: json(sharedNamesSchema, 'The names in their order, with the spaces') },
    failures: [401, 403],
  }),
  getIssuancePolicy: endpoint({
    method: 'GET',
    path: '/spaces/{id}/issuance-policy',
    summary: 'Show which names and providers the certificates of a space may have',
    params: byId,
    responses: { 200: json(issuancePolicySchema, 'The policy') },
    failures: [401, 404],
  }),
  setIssuancePolicy: endpoint({
    method: 'PUT',
    path: '/spaces/{id}/issuance-policy',
    summary:
      'Set which names and providers the certificates of a space may have; dryRun=true only shows the effect',
    params: byId,
    query: z.object({ dryRun: scalars.queryFlag }),
    body: {
      kind: 'json',
      schema: z.strictObject({
        ...sentLimits,
        // Without effect: what GET returns can be sent.
        isDefault: z.boolean().optional(),
        // Needed where FQDNs that pass today would be refused.
        confirmed: z.boolean().optional(),
      }),
    },
    responses: { 200: json(policyChangeSchema, 'The policy, and what it refuses that was allowed before') },
    failures: [400, 401, 403, 404, 409],
  }),
};
