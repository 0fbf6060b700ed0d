import { z } from 'zod';
import { endpoint, json } from '../endpoint.js';
import * as scalars from '../scalars.js';
import { messageSchema } from './replies.js';

/** States of a renewal entry; the last two are final. */
export const renewalStatuses = ['pending', 'processing', 'completed', 'failed'] as const;
export type RenewalStatus = (typeof renewalStatuses)[number];

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
    /** Why it failed or was put off. */
    reason: z.string().optional(),
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

export const renewalsContract = {
  listRenewals: endpoint({
    method: 'GET',
    path: '/renewal-queue',
    summary: 'List the renewal queue by time of execution',
    responses: { 200: json(z.array(renewalQueueEntrySchema), 'Entries') },
    failures: [401],
  }),
  createTestRenewal: endpoint({
    method: 'POST',
    path: '/renewal-queue/test/create',
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
    summary: 'Process the renewal queue now',
    responses: { 200: json(messageSchema, 'Processing started') },
    failures: [401, 403],
  }),
};
