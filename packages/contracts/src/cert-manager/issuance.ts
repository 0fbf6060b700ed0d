import { z } from 'zod';
import { endpoint, json } from '../endpoint.js';
import * as scalars from '../scalars.js';
import { certificateSchema } from './certificates.js';
import { pageQuery } from './pages.js';
import { byFqdn, byId } from './replies.js';
import { issuanceJobStatuses, requestSteps, stepStatuses } from './words.js';

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

export const challengeTypes = ['http-01', 'dns-01', 'manual'] as const;
/** Web servers that the lines of a challenge's setup are written for. */
const webServers = ['nginx', 'apache', 'caddy', 'haproxy', 'traefik'] as const;
export const dnsBackends = ['webhook', 'rfc2136', 'acme-dns'] as const;

/** What must be there before a CA can see that the names of an FQDN are under control; nothing of it is secret. */
export const challengeSetupSchema = z
  .object({
    fqdnId: scalars.uuid,
    spaceId: scalars.uuid,
    fqdn: z.string(),
    /** Whom a request for a certificate asks. */
    provider: z.object({ id: scalars.uuid, name: z.string() }).optional(),
    /** Absent when the provider asks for no proof, or is not configured. */
    type: z.enum(challengeTypes).optional(),
    /** What is to be done, for people. */
    message: z.string(),
    /** Names that an order proves: those of the newest CSR, else the FQDN alone. */
    names: z.array(z.string()),
    /** Why they cannot be proven in this way. */
    obstacle: z.string().optional(),
    http01: z
      .object({
        path: z.string(),
        /** Address that requests for the path are handed on to. */
        target: z.string(),
        /** Address that a redirect with status 302 leads to, the token at its end; absent where CAs do not follow. */
        redirect: z.string().optional(),
        servers: z.array(z.object({ server: z.enum(webServers), config: z.string() })),
      })
      .optional(),
    dns01: z
      .object({
        backend: z.enum(dnsBackends),
        records: z.array(
          z.object({
            name: z.string(),
            type: z.enum(['CNAME', 'TXT']),
            /** Absent for a record whose value changes with each order. */
            value: z.string().optional(),
            /** Whether someone sets it once, or this service at each order. */
            setBy: z.enum(['you', 'service']),
          }),
        ),
      })
      .optional(),
    /** What a request waits for someone to publish. */
    waiting: z.array(
      z.object({
        jobId: scalars.uuid,
        name: z.string(),
        type: z.string(),
        place: z.string(),
        content: z.string(),
      }),
    ),
  })
  .meta({ id: 'ChallengeSetup' });
export type ChallengeSetup = z.output<typeof challengeSetupSchema>;

export const issuanceContract = {
  signCsr: endpoint({
    method: 'POST',
    path: '/spaces/{spaceId}/fqdns/{fqdnId}/csr/sign',
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
};
