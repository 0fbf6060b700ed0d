import { z } from 'zod';
import { endpoint, json } from '../../endpoint.js';
import * as scalars from '../../scalars.js';
import { pageQuery } from '../pages.js';
import { byFqdn, byId } from '../replies.js';
import { issuanceJobStatuses, requestSteps, stepStatuses } from '../words.js';
import { certificateSchema } from './certificates.js';
import { challengeSetupSchema } from './challenge-setup.js';

/** Answer of signing; a provider that refused or failed is `success` false with its reason, not an error. */
export const signReplySchema = z
  .object({
    success: z.boolean(),
    message: z.string(),
    certificate: scalars.pem.optional(),
  })
  .meta({ id: 'SignReply' });

export type SignReply = z.output<typeof signReplySchema>;

/** How one step went; further members describe it, such as the order's `url`. */
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

/** A request for a certificate, live or afterwards; `waiting` for someone to publish a proof. */
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

/** A request as lists show it: who asked whom, and how it ended. */
export const listedJobSchema = issuanceJobSchema
  .omit({ success: true, certificate: true, stepStatus: true })
  .extend({
    providerId: scalars.uuid,
    /** Which operation began it: request-certificate, or csr/sign. */
    trigger: z.enum(['request', 'sign']),
    /** User name of the caller. */
    requestedBy: z.string(),
    certificateId: scalars.uuid.optional(),
    /** The step that failed, of a failed one. */
    failedStep: z.enum(requestSteps).optional(),
  })
  .meta({ id: 'ListedIssuanceJob' });

export type ListedIssuanceJob = z.output<typeof listedJobSchema>;

export const issuanceContract = {
  signCsr: endpoint({
    method: 'POST',
    path: '/spaces/{spaceId}/fqdns/{fqdnId}/csr/sign',
    documented: true,
    summary: 'Have the newest CSR of an FQDN signed by a provider',
    params: byFqdn,
    // Seconds to wait for an order with a CA to end before it is reported as still in progress.
    query: z.object({ wait: scalars.queryInteger(0, 120, 60) }),
    body: { kind: 'json', schema: z.object({ providerId: scalars.uuid }) },
    responses: { 200: json(signReplySchema, 'Signed, or why not') },
    failures: [400, 401, 403, 404],
  }),
  requestCertificate: endpoint({
    method: 'POST',
    path: '/spaces/{spaceId}/fqdns/{fqdnId}/request-certificate',
    documented: true,
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
    documented: true,
    summary: 'Read a certificate again from its provider',
    params: byFqdn.extend({ certId: scalars.uuid }),
    responses: { 200: json(certificateSchema, 'The certificate') },
    failures: [401, 403, 404, 502, 504],
  }),
  getChallengeSetup: endpoint({
    method: 'GET',
    path: '/spaces/{spaceId}/fqdns/{fqdnId}/challenge-setup',
    summary: 'Show what to set up so that a CA can validate the names of an FQDN',
    params: byFqdn,
    responses: { 200: json(challengeSetupSchema, 'What is to be set up') },
    failures: [401, 404],
  }),
  listIssuanceJobs: endpoint({
    method: 'GET',
    path: '/issuance-jobs',
    summary: 'List the requests of an FQDN or of a space, the newest first',
    query: z.object({
      // One of the two is needed.
      fqdnId: scalars.uuid.optional(),
      spaceId: scalars.uuid.optional(),
      status: z.enum(issuanceJobStatuses).optional(),
      ...pageQuery,
    }),
    responses: { 200: json(z.array(listedJobSchema), 'Requests') },
    failures: [400, 401],
  }),
  getIssuanceJob: endpoint({
    method: 'GET',
    path: '/issuance-jobs/{id}',
    summary: 'Show the progress of a request for a certificate',
    params: byId,
    responses: { 200: json(issuanceJobSchema, 'The request') },
    failures: [401, 404],
  }),
  continueIssuanceJob: endpoint({
    method: 'POST',
    path: '/issuance-jobs/{id}/continue',
    summary: 'Continue a request after you published what it waits for',
    params: byId,
    responses: { 200: json(issuanceJobSchema, 'The request goes on') },
    failures: [401, 403, 404, 409],
  }),
  cancelIssuanceJob: endpoint({
    method: 'POST',
    path: '/issuance-jobs/{id}/cancel',
    summary: 'Cancel a request whose CSR was not sent to the CA',
    params: byId,
    responses: { 200: json(issuanceJobSchema, 'The request has ended') },
    failures: [401, 403, 404, 409],
  }),
};
