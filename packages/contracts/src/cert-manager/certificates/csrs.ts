import { z } from 'zod';
import { endpoint, json } from '../../endpoint.js';
import * as scalars from '../../scalars.js';
import { storedPageQuery } from '../pages.js';
import { byFqdn, confirmation, deleteSchema, fixSchema } from '../replies.js';

/** One extension that a CSR asks for; `value` is its DER content in hex, `id` the OID again. */
export const extensionSchema = z
  .object({
    id: z.string(),
    oid: z.string(),
    name: z.string(),
    critical: z.boolean(),
    value: scalars.hex,
    description: z.string(),
    purposes: z.array(z.string()),
  })
  .meta({ id: 'Extension' });
export type Extension = z.output<typeof extensionSchema>;

/** How much a finding matters: with an error, the CA would refuse the CSR. */
export const csrSeverities = ['error', 'warning', 'info'] as const;
export type CsrSeverity = (typeof csrSeverities)[number];

/** Which CA a CSR is for: `acme` is a CA that is called by ACME, public or private. */
export const csrProfiles = ['public', 'acme', 'private'] as const;
export type CsrProfile = (typeof csrProfiles)[number];

/** Something about a CSR that its holder should know. `rule` names where it is written, `fix` how to repair it. */
export const csrFindingSchema = z
  .object({
    code: z.string(),
    message: z.string(),
    severity: z.enum(csrSeverities).optional(),
    rule: z.string().optional(),
    fix: fixSchema.optional(),
  })
  .meta({ id: 'CsrFinding' });
export type CsrFinding = z.output<typeof csrFindingSchema>;

export const csrSchema = z
  .object({
    id: scalars.uuid,
    fqdnId: scalars.uuid,
    spaceId: scalars.uuid,
    fqdn: z.string(),
    csrPem: scalars.pem,
    subject: z.string(),
    publicKeyAlgorithm: z.string(),
    signatureAlgorithm: z.string(),
    keySize: z.int(),
    dnsNames: z.array(z.string()),
    emailAddresses: z.array(z.string()),
    ipAddresses: z.array(z.string()),
    uris: z.array(z.string()),
    extensions: z.array(extensionSchema),
    createdAt: scalars.instant,
    findings: z.array(csrFindingSchema).optional(),
  })
  .meta({ id: 'Csr' });
export type Csr = z.output<typeof csrSchema>;

/** A CSR that was only judged, so it has neither id nor date; `differs` compares it with the newest stored one. */
export const csrReviewSchema = csrSchema
  .omit({ id: true, createdAt: true })
  .extend({
    findings: z.array(csrFindingSchema),
    /** Absent while the FQDN has no CSR. */
    differs: z.object({ key: z.boolean(), names: z.boolean() }).optional(),
  })
  .meta({ id: 'CsrReview' });
export type CsrReview = z.output<typeof csrReviewSchema>;

/** Content of a CSR, without where it belongs. */
export const csrContentSchema = csrSchema
  .pick({
    subject: true,
    publicKeyAlgorithm: true,
    signatureAlgorithm: true,
    keySize: true,
    dnsNames: true,
    emailAddresses: true,
    ipAddresses: true,
    uris: true,
    extensions: true,
  })
  .meta({ id: 'CsrContent' });
export type CsrContent = z.output<typeof csrContentSchema>;

export const csrVerdicts = ['ok', 'warnings', 'refused'] as const;
export type CsrVerdict = (typeof csrVerdicts)[number];

/** Findings about a text that should be a CSR; `refused`: at least one is an error. */
export const csrLintSchema = z
  .object({
    verdict: z.enum(csrVerdicts),
    findings: z.array(csrFindingSchema),
    /** Absent for a text that is not a CSR. */
    description: csrContentSchema.optional(),
  })
  .meta({ id: 'CsrLint' });
export type CsrLint = z.output<typeof csrLintSchema>;

/** Longest text to lint, in characters. */
export const maxCsrCharacters = 65_536;

const csrLintBody = z
  .object({
    csrPem: z.string().max(maxCsrCharacters),
    fqdn: z.string().max(1000).optional(),
    providerId: scalars.uuid.optional(),
    profile: z.enum(csrProfiles).optional(),
  })
  .refine(({ providerId, profile }) => providerId === undefined || profile === undefined, {
    path: ['profile'],
    message: 'must be absent if providerId is given',
  });

export const csrsContract = {
  lintCsr: endpoint({
    method: 'POST',
    path: '/csr-lint',
    summary: 'Find the faults of a CSR and how to repair them; changes nothing and stores nothing',
    body: { kind: 'json', schema: csrLintBody },
    responses: { 200: json(csrLintSchema, 'The findings, with a verdict on all of them') },
    failures: [400, 401],
  }),
  uploadCsr: endpoint({
    method: 'POST',
    path: '/spaces/{spaceId}/fqdns/{fqdnId}/csr',
    documented: true,
    summary:
      'Store a CSR for an FQDN; the fields spaceId and fqdn must match the path; dryRun=true only validates it',
    params: byFqdn,
    query: z.object({ dryRun: scalars.queryFlag }),
    body: {
      kind: 'multipart',
      file: 'csr',
      fields: z.object({ spaceId: scalars.uuid, fqdn: z.string().max(1000) }),
    },
    responses: {
      200: json(csrReviewSchema, 'With dryRun=true: the CSR as it was understood, and not stored'),
      201: json(csrSchema, 'The CSR as it was understood'),
    },
    failures: [400, 401, 403, 404, 413],
  }),
  listCsrs: endpoint({
    method: 'GET',
    path: '/spaces/{spaceId}/fqdns/{fqdnId}/csr',
    documented: true,
    summary:
      'List the CSRs of an FQDN, oldest first, or newest first with order=desc; latest=true shows only the newest',
    params: byFqdn,
    query: z.object({ latest: scalars.queryFlag, ...storedPageQuery }),
    responses: { 200: json(z.union([csrSchema, z.array(csrSchema)]), 'One CSR, or all of them') },
    failures: [400, 401, 404],
  }),
  deleteAllCsrs: endpoint({
    method: 'DELETE',
    path: '/csrs',
    documented: true,
    summary: 'Delete the CSRs of all spaces',
    query: confirmation,
    responses: { 200: json(deleteSchema, 'How many were deleted') },
    failures: [400, 401, 403],
  }),
};
