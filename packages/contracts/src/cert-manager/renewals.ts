import { z } from 'zod';
import { endpoint, json } from '../endpoint.js';
import * as scalars from '../scalars.js';
import { chainExpiresAt } from './chain-end.js';
import { pageQuery } from './pages.js';
import { byFqdn, byId, messageSchema } from './replies.js';
import { permissionLevels, renewalOutlooks, renewalStatuses } from './words.js';

export const renewalQueueEntrySchema = z
  .object({
    id: scalars.uuid,
    certificateId: scalars.uuid,
    fqdnId: scalars.uuid,
    spaceId: scalars.uuid,
    scheduledAt: scalars.instant,
    status: z.enum(renewalStatuses),
    createdAt: scalars.instant,
    /** True for an entry made by the test endpoint. */
    isTest: z.boolean().optional(),
    /** Number of the try, from 1. */
    attempt: z.int().optional(),
    /** The failed entry that this one tries again. */
    retryOf: scalars.uuid.optional(),
    /** Why it failed or was postponed. */
    reason: z.string().optional(),
    /** The next five are shown with include=fqdn only. */
    fqdn: z.string().optional(),
    spaceName: z.string().optional(),
    /** Whom it asks. */
    providerId: scalars.uuid.optional(),
    /** Level of the caller on its space. */
    level: z.enum(permissionLevels).optional(),
    /** Why the entry failed that this one tries again. */
    lastError: z.string().optional(),
  })
  .meta({ id: 'RenewalQueueEntry' });
export type RenewalQueueEntry = z.output<typeof renewalQueueEntrySchema>;

export const testRenewalSchema = z
  .object({
    success: z.boolean(),
    message: z.string(),
    queueId: scalars.uuid,
    scheduledAt: scalars.instant,
  })
  .meta({ id: 'TestRenewal' });
export type TestRenewal = z.output<typeof testRenewalSchema>;

/**
 * Rules that a renewal may follow: the CA's window (RFC 9773), the FQDN's own share, two thirds or half of the
 * lifetime, or the revocation of the newest certificate.
 */
export const renewalRules = ['window', 'fraction', 'two_thirds', 'half', 'revoked'] as const;

/** When and why the certificate of an FQDN will be renewed. */
/** Words for what the monitor watches of an FQDN. */
export const watchWords = ['renewal', 'expiry', 'accepted', 'no'] as const;
export type WatchWord = (typeof watchWords)[number];

export const renewalExplanationSchema = z
  .object({
    fqdnId: scalars.uuid,
    spaceId: scalars.uuid,
    renewalEnabled: z.boolean(),
    watched: z
      .enum(watchWords)
      .optional()
      .describe(
        'what the monitor waits for: a renewal, another certificate before this one ends, or nothing',
      ),
    willRenew: z.boolean(),
    outlook: z.enum(renewalOutlooks),
    /** The same for people. */
    message: z.string(),
    /** When it runs, or is tried again. */
    scheduledAt: scalars.instant.optional(),
    /** The newest certificate. */
    certificate: z
      .object({
        id: scalars.uuid,
        notBefore: scalars.instant,
        expiresAt: scalars.instant,
        chainExpiresAt,
        revokedAt: scalars.instant.optional(),
      })
      .optional(),
    /** Whom the renewal asks; `obstacle` is why it cannot be asked now. */
    provider: z.object({ id: scalars.uuid, name: z.string(), obstacle: z.string().optional() }).optional(),
    /** Plan by the rule for the newest certificate; `renewAt` is picked between the bounds. */
    plan: z
      .object({
        rule: z.enum(renewalRules),
        fraction: z.number().optional(),
        earliest: scalars.instant,
        latest: scalars.instant,
        renewAt: scalars.instant,
        /** Page on which the CA gives its reason for the window. */
        explanationUrl: z.string().optional(),
      })
      .optional(),
    /** The open entry of the queue. */
    entry: renewalQueueEntrySchema.optional(),
    /** The last try, when it failed. */
    failure: z.object({ attempt: z.int(), at: scalars.instant, reason: z.string() }).optional(),
  })
  .meta({ id: 'RenewalExplanation' });
export type RenewalExplanation = z.output<typeof renewalExplanationSchema>;

export const renewalsContract = {
  listRenewals: endpoint({
    method: 'GET',
    path: '/renewal-queue',
    documented: true,
    summary: 'List the renewal queue by time of execution',
    query: z.object({
      status: z.enum(renewalStatuses).optional(),
      spaceId: scalars.uuid.optional(),
      include: z.literal('fqdn').optional(),
      ...pageQuery,
    }),
    responses: { 200: json(z.array(renewalQueueEntrySchema), 'Entries') },
    failures: [400, 401],
  }),
  createTestRenewal: endpoint({
    method: 'POST',
    path: '/renewal-queue/test/create',
    documented: true,
    summary: 'Queue a renewal for a moment from now, for tests',
    body: {
      kind: 'json',
      schema: z.object({
        certificateId: scalars.uuid,
        fqdnId: scalars.uuid,
        spaceId: scalars.uuid,
        // A year.
        minutesFromNow: z.int().min(0).max(525_600),
      }),
    },
    responses: { 201: json(testRenewalSchema, 'Queued') },
    failures: [400, 401, 403],
  }),
  triggerRenewals: endpoint({
    method: 'POST',
    path: '/renewal-queue/test/trigger',
    documented: true,
    summary: 'Process the due entries of the renewal queue now',
    responses: { 200: json(messageSchema, 'Processing started') },
    failures: [401, 403],
  }),
  runRenewal: endpoint({
    method: 'POST',
    path: '/renewal-queue/{id}/run',
    summary: 'Run a pending renewal now instead of at its time',
    params: byId,
    responses: { 200: json(renewalQueueEntrySchema, 'The entry, due now') },
    failures: [401, 403, 404, 409],
  }),
  explainRenewal: endpoint({
    method: 'GET',
    path: '/spaces/{spaceId}/fqdns/{fqdnId}/renewal-explanation',
    summary: 'Show when and why the certificate of an FQDN will be renewed',
    params: byFqdn,
    responses: { 200: json(renewalExplanationSchema, 'When and why') },
    failures: [401, 404],
  }),
};
