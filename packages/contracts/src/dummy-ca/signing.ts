import { z } from 'zod';
import { endpoint, json, text } from '../endpoint.js';
import * as scalars from '../scalars.js';

// A hundred years, as `validity_days`.
const maxSeconds = 3_153_600_000;

/** Request to sign: `csr` is the PEM text in Base64. */
export const signingRequestSchema = z
  .object({
    csr: z.string().min(1),
    action: z.literal('sign', "must be 'sign'"),
    validity_days: z.int().min(1).max(36_500).default(365),
    validity_seconds: z
      .int()
      .min(1)
      .max(maxSeconds)
      .optional()
      .describe('validity in seconds; wins over validity_days'),
    not_before_offset_seconds: z
      .int()
      .min(-maxSeconds)
      .max(maxSeconds)
      .optional()
      .describe('seconds from now to notBefore, negative for the past: so are expired certificates had'),
    profile: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .describe('profile of DUMMY_CA_PROFILES: content, and validity unless seconds or offset are given'),
  })
  .meta({ id: 'SigningRequest' });
export type SigningRequest = z.output<typeof signingRequestSchema>;

export const signingReplySchema = z
  .object({
    id: z.string(),
    status: z.string(),
    message: z.string(),
    certificate: scalars.pem,
  })
  .meta({ id: 'SigningReply' });
export type SigningReply = z.output<typeof signingReplySchema>;

/** A certificate that was issued since the authority's start. */
export const certificateRecordSchema = z
  .object({
    id: z.string(),
    certificate: scalars.pem,
    created_at: scalars.instant,
  })
  .meta({ id: 'CertificateRecord' });
export type CertificateRecord = z.output<typeof certificateRecordSchema>;

export const caHealthSchema = z
  .object({
    status: z.string(),
    version: z.string().optional().describe('version of the service, as the changelog names it'),
  })
  .meta({ id: 'CaHealth' });
export type CaHealth = z.output<typeof caHealthSchema>;

/** The operations of the document. */
export const signingContract = {
  getHealth: endpoint({
    method: 'GET',
    path: '/health',
    documented: true,
    summary: 'Report whether the authority works',
    responses: { 200: json(caHealthSchema, 'The authority works') },
    failures: [],
  }),
  signCsr: endpoint({
    method: 'POST',
    path: '/csr',
    documented: true,
    summary: 'Sign a CSR',
    body: { kind: 'json', schema: signingRequestSchema },
    responses: { 200: json(signingReplySchema, 'The certificate') },
    failures: [400, 405, 413, 500],
  }),
  getCertificate: endpoint({
    method: 'GET',
    path: '/certificate/{id}',
    documented: true,
    summary: 'Show a stored certificate',
    params: z.object({ id: z.string() }),
    responses: { 200: json(certificateRecordSchema, 'The certificate') },
    failures: [400, 404],
  }),
  getRoot: endpoint({
    method: 'GET',
    path: '/root',
    documented: true,
    summary: 'Show the root certificate',
    responses: { 200: text('application/x-pem-file', 'The root certificate as PEM') },
    failures: [],
  }),
};
