import { z } from 'zod';
import { endpoint, json } from '../endpoint.js';
import * as scalars from '../scalars.js';
import { paceSchema } from './providers.js';
import { timelineBuckets } from './words.js';

/** How long a provider may be away, and how much it has to do. */
export const providerOutlookSchema = z
  .object({
    providerId: scalars.uuid,
    /** Until renewals would come too late for a certificate, all of them done one after the other; null without any. */
    survivableOutageSeconds: z.int().nullable(),
    /** Certificate that ends first of all that it is to renew. */
    firstLoss: z
      .object({
        fqdnId: scalars.uuid,
        spaceId: scalars.uuid,
        fqdn: z.string(),
        expiresAt: scalars.instant,
      })
      .optional(),
    dueIn24h: z.int(),
    /** The most renewals that are planned within one hour. */
    peakPerHour: z.int(),
    /** How long what is due in 24 h takes. */
    drainSeconds: z.int(),
    /** How fast its CA takes orders, once it has refused one for its rate limit. */
    pace: paceSchema.optional(),
    /** When a newest certificate of it was stored last. */
    lastSuccessAt: scalars.instant.optional(),
  })
  .meta({ id: 'ProviderOutlook' });

export const outlookSchema = z
  .object({ providers: z.array(providerOutlookSchema), computedAt: scalars.instant })
  .meta({ id: 'Outlook' });
export type Outlook = z.output<typeof outlookSchema>;

/** How many certificates there are, by what happens to them. */
const endsSchema = {
  willRenew: z.int(),
  /** Nothing renews them. */
  needsHand: z.int(),
  failing: z.int(),
};

export const expiryTimelineSchema = z
  .object({
    buckets: z.array(z.object({ start: scalars.instant, ...endsSchema })),
    /** How many ended before the first bucket, and how many end after the last one. */
    overdue: z.int(),
    later: z.int(),
    /** The certificates in the buckets, where they are at most 12. */
    names: z
      .array(
        z.object({
          fqdnId: scalars.uuid,
          spaceId: scalars.uuid,
          fqdn: z.string(),
          expiresAt: scalars.instant,
        }),
      )
      .optional(),
  })
  .meta({ id: 'ExpiryTimeline' });
export type ExpiryTimeline = z.output<typeof expiryTimelineSchema>;

export const outlookContract = {
  getOutlook: endpoint({
    method: 'GET',
    path: '/outlook',
    summary: 'Show how long each provider may be unavailable before a certificate expires',
    query: z.object({ spaceId: scalars.uuid.optional() }),
    responses: { 200: json(outlookSchema, 'The outlook') },
    failures: [400, 401],
  }),
  getExpiryTimeline: endpoint({
    method: 'GET',
    path: '/stats/expiry',
    summary: 'Count the newest certificates by the day or week of their expiry, in at most 400 periods',
    query: z.object({
      bucket: z.enum(timelineBuckets).optional(),
      // the beginning of the bucket that holds it; now when absent
      from: scalars.instant.optional(),
      // 26 weeks later when absent
      to: scalars.instant.optional(),
      spaceId: scalars.uuid.optional(),
    }),
    responses: { 200: json(expiryTimelineSchema, 'The counts') },
    failures: [400, 401],
  }),
};
