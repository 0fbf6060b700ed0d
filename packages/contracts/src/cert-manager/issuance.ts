import { z } from 'zod';
import { endpoint, json } from '../endpoint.js';
import * as scalars from '../scalars.js';
import { certificateSchema } from './certificates.js';
import { byFqdn, byId } from './replies.js';

/** Answer of signing; a provider that refused or failed is `success` false with its reason, not an error. */
export const signReplySchema = z
  .object({
    success: z.boolean(),
    message: z.string(),
    certificate: scalars.pem.optional(),
  })
  .meta({ id: 'SignReply' });
export type SignReply = z.output<typeof signReplySchema>;

/** Steps of a certificate request in the order of their execution. */
export const requestSteps = [
  'csrCheck',
  'policy',
  'existing',
  'preflight',
  'account',
  'order',
  'challenges',
  'finalize',
  'download',
  'verify',
  'store',
  'schedule',
] as const;
export type RequestStep = (typeof requestSteps)[number];

export const stepStatuses = [
  'pending',
  'running',
  'ok',
  'warning',
  'skipped',
  'failed',
  'needs_confirmation',
  'waiting_manual',
] as const;
export type StepStatus = (typeof stepStatuses)[number];

/** How one step went; further members tell what belongs to it, such as the order's `url`. */
export const stepReportSchema = z
  .looseObject({
    status: z.enum(stepStatuses),
    startedAt: scalars.instant.optional(),
    finishedAt: scalars.instant.optional(),
    detail: z.string().optional(),
    error: z
      .object({
        code: z.string(),
        message: z.string(),
        retryable: z.boolean(),
        retryAt: scalars.instant.optional(),
        caProblemType: z.string().optional(),
      })
      .optional(),
  })
  .meta({ id: 'StepReport' });
export type StepReport = z.output<typeof stepReportSchema>;

export const requestReplySchema = z
  .object({
    success: z.boolean(),
    message: z.string(),
    certificate: z.object({ id: scalars.uuid, pem: scalars.pem }).optional(),
    /** Every step by name, also those not reached. */
    stepStatus: z.record(z.enum(requestSteps), stepReportSchema),
    /** True when a valid certificate exists and `confirmed` was not sent. */
    requiresConfirmation: z.boolean().optional(),
  })
  .meta({ id: 'RequestReply' });
export type RequestReply = z.output<typeof requestReplySchema>;

export const issuanceJobStatuses = ['running', 'waiting', 'completed', 'failed'] as const;

/** A request for a certificate, live or afterwards; `waiting` for somebody to publish a proof. */
export const issuanceJobSchema = requestReplySchema
  .omit({ requiresConfirmation: true })
  .extend({
    id: scalars.uuid,
    fqdnId: scalars.uuid,
    spaceId: scalars.uuid,
    status: z.enum(issuanceJobStatuses),
    createdAt: scalars.instant,
    finishedAt: scalars.instant.optional(),
  })
  .meta({ id: 'IssuanceJob' });
export type IssuanceJob = z.output<typeof issuanceJobSchema>;

export const issuanceContract = {
  signCsr: endpoint({
    method: 'POST',
    path: '/spaces/{spaceId}/fqdns/{fqdnId}/csr/sign',
    summary: 'Have the newest CSR of an FQDN signed by a provider',
    params: byFqdn,
    body: { kind: 'json', schema: z.object({ providerId: scalars.uuid }) },
    responses: { 200: json(signReplySchema, 'Signed, or why not') },
    failures: [400, 401, 403, 404],
  }),
  requestCertificate: endpoint({
    method: 'POST',
    path: '/spaces/{spaceId}/fqdns/{fqdnId}/request-certificate',
    summary: 'Request a certificate for an FQDN by ACME',
    params: byFqdn,
    // Seconds to wait for the request to end before it is reported as still in progress.
    query: z.object({ wait: scalars.queryInteger(0, 120, 60) }),
    body: {
      kind: 'json',
      schema: z.object({ confirmed: z.boolean().optional() }),
      optional: true,
    },
    responses: { 200: json(requestReplySchema, 'Issued, in progress, or why not') },
    failures: [400, 401, 403, 404],
  }),
  refreshCertificate: endpoint({
    method: 'POST',
    path: '/spaces/{spaceId}/fqdns/{fqdnId}/certificates/{certId}/refresh',
    summary: 'Read a certificate again from its provider',
    params: byFqdn.extend({ certId: scalars.uuid }),
    responses: { 200: json(certificateSchema, 'The certificate') },
    failures: [401, 403, 404, 502, 504],
  }),
  getIssuanceJob: endpoint({
    method: 'GET',
    path: '/issuance-jobs/{id}',
    summary: 'Show how far a request for a certificate has come',
    params: byId,
    responses: { 200: json(issuanceJobSchema, 'The request') },
    failures: [401, 404],
  }),
  continueIssuanceJob: endpoint({
    method: 'POST',
    path: '/issuance-jobs/{id}/continue',
    summary: 'Go on with a request, as what it waited for has been published',
    params: byId,
    responses: { 200: json(issuanceJobSchema, 'The request goes on') },
    failures: [401, 403, 404, 409],
  }),
};
