import { z } from 'zod';
import { endpoint, json } from '../endpoint.js';
import * as scalars from '../scalars.js';
import { pageQuery } from './pages.js';
import { byId, messageSchema } from './replies.js';

/** Kinds of providers: what they speak to their CA. */
export const providerKindNames = ['dummy-ca', 'acme'] as const;
export type ProviderKindName = (typeof providerKindNames)[number];

/** Names of providers appear in metrics, in audit entries and on command lines. */
const providerName = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/,
    'must be 1 to 32 lower-case letters, digits and hyphens, and begin and end with a letter or a digit',
  );

/** Keys of a provider's configuration by name; which ones there are depends on the provider. */
const providerConfig = z.record(z.string(), z.unknown());

/** The same as it is sent: a record would drop a member `__proto__` that no one has looked at. */
const sentConfig = z.preprocess((value, context) => {
  if (typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__')) {
    const params = { code: 'unknown_member' };
    context.addIssue({ code: 'custom', path: ['__proto__'], message: 'is not known', params });
  }
  return value;
}, providerConfig);

export const paceSchema = z
  .object({
    perMinute: z.number().describe('renewals a minute that are begun'),
    room: z.int().describe('renewals that may be begun now'),
    pausedUntil: scalars.instant.optional().describe('when the CA is asked again'),
    refusals: z
      .int()
      .optional()
      .describe('how often in a row the CA refused; 0 since it took an order again'),
  })
  .meta({ id: 'ProviderPace' });

/** One way to obtain certificates; secrets in `config` are shown as `********`. */
export const providerSchema = z
  .object({
    id: scalars.uuid,
    kind: z.enum(providerKindNames),
    name: z.string(),
    displayName: z.string(),
    description: z.string(),
    enabled: z.boolean(),
    config: providerConfig,
    /** How fast its CA takes orders, once it has refused one for its rate limit. */
    pace: paceSchema.optional(),
    /** The next three are shown with include=usage only; this one to administrators, if the CA refused the contact addresses. */
    contactRefused: z.object({ at: scalars.instant, message: z.string() }).optional(),
    /** To administrators, once it was tested as configured. */
    lastTest: z
      .object({ at: scalars.instant, success: z.boolean(), message: z.string(), durationMs: z.int() })
      .optional(),
    /** Its use by the FQDNs that the caller may read. */
    usage: z
      .object({
        fqdns: z.int(),
        pendingRenewals: z.int(),
        /** The ten spaces with the most of these FQDNs, the largest count first. */
        spaces: z.array(z.object({ id: scalars.uuid, name: z.string(), fqdns: z.int() })).optional(),
        /** When a newest certificate of it was stored last. */
        lastIssuedAt: scalars.instant.optional(),
        /** The last renewal or request that failed, of those that were not mended since. */
        lastFailure: z.object({ at: scalars.instant, message: z.string() }).optional(),
      })
      .optional(),
  })
  .meta({ id: 'Provider' });
export type Provider = z.output<typeof providerSchema>;

export const providerTestSchema = z
  .object({ success: z.boolean(), message: z.string() })
  .meta({ id: 'ProviderTest' });
export type ProviderTest = z.output<typeof providerTestSchema>;

export const providersContract = {
  listProviders: endpoint({
    method: 'GET',
    path: '/providers',
    documented: true,
    summary: 'List providers',
    query: z.object({ include: z.literal('usage').optional(), ...pageQuery }),
    responses: { 200: json(z.array(providerSchema), 'Providers') },
    failures: [400, 401],
  }),
  getProvider: endpoint({
    method: 'GET',
    path: '/providers/{id}',
    documented: true,
    summary: 'Show a provider',
    params: byId,
    responses: { 200: json(providerSchema, 'The provider') },
    failures: [401, 404],
  }),
  createProvider: endpoint({
    method: 'POST',
    path: '/providers',
    summary: 'Create a provider, which is enabled; its name must be unique',
    body: {
      kind: 'json',
      schema: z.object({
        kind: z.enum(providerKindNames),
        name: providerName,
        // The name when absent.
        displayName: scalars.line(100).optional(),
        config: sentConfig,
      }),
    },
    responses: { 201: json(providerSchema, 'The provider') },
    failures: [400, 401, 403],
  }),
  deleteProvider: endpoint({
    method: 'DELETE',
    path: '/providers/{id}',
    summary: 'Delete a provider that is no longer in use; the first one of each kind cannot be deleted',
    params: byId,
    responses: { 200: json(messageSchema, 'Deleted') },
    failures: [401, 403, 404, 409],
  }),
  setProviderEnabled: endpoint({
    method: 'PUT',
    path: '/providers/{id}/enabled',
    documented: true,
    summary: 'Enable or disable a provider',
    params: byId,
    body: { kind: 'json', schema: z.object({ enabled: z.boolean() }) },
    responses: { 200: json(messageSchema, 'Switched') },
    failures: [400, 401, 403, 404],
  }),
  setProviderConfig: endpoint({
    method: 'PUT',
    path: '/providers/{id}/config',
    documented: true,
    summary: 'Replace the configuration of a provider; a secret that is sent as its mask stays unchanged',
    params: byId,
    body: { kind: 'json', schema: z.object({ config: sentConfig }) },
    responses: { 200: json(messageSchema, 'Stored') },
    failures: [400, 401, 403, 404],
  }),
  testProvider: endpoint({
    method: 'POST',
    path: '/providers/{id}/test',
    documented: true,
    summary: 'Test whether a provider can be reached',
    params: byId,
    // `deep` also does what leaves a trace at the provider, such as signing a CSR of no use.
    body: { kind: 'json', schema: z.object({ deep: z.boolean().optional() }), optional: true },
    responses: { 200: json(providerTestSchema, 'Reached, or why not') },
    failures: [400, 401, 403, 404],
  }),
};
