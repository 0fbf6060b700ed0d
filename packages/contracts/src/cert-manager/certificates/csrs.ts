import { z } from 'zod';
import { endpoint, json } from '../../endpoint.js';
import * as scalars from '../../scalars.js';
import { storedPageQuery } from '../pages.js';
import { byFqdn, confirmation, deleteSchema } from '../replies.js';

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

/** Something about a CSR that its holder should know and that is no reason to refuse it. */
export const csrFindingSchema = z
  .object({ code: z.string(), message: z.string() })
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

export const csrsContract = {
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
