import { z } from 'zod';
import { endpoint, json, text } from '../endpoint.js';
import { type Client, type ClientOptions, createClient } from '../http.client.js';
import { openApiDocument } from '../openapi.js';
import * as scalars from '../scalars.js';

/** Request to sign: `csr` is the PEM text in Base64. */
export const signingRequestSchema = z
  .object({
    csr: z.string().min(1),
    action: z.literal('sign', "must be 'sign'"),
    validity_days: z.int().min(1).max(36_500).default(365),
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

export const caHealthSchema = z.object({ status: z.string() }).meta({ id: 'CaHealth' });
export type CaHealth = z.output<typeof caHealthSchema>;

/** Every operation of the dummy certificate authority beside ACME. */
export const dummyCaContract = {
  getHealth: endpoint({
    method: 'GET',
    path: '/health',
    summary: 'Tell whether the authority works',
    responses: { 200: json(caHealthSchema, 'The authority works') },
    failures: [],
  }),
  signCsr: endpoint({
    method: 'POST',
    path: '/csr',
    summary: 'Sign a CSR',
    body: { kind: 'json', schema: signingRequestSchema },
    responses: { 200: json(signingReplySchema, 'The certificate') },
    failures: [400, 405, 413, 500],
  }),
  getCertificate: endpoint({
    method: 'GET',
    path: '/certificate/{id}',
    summary: 'Show a certificate that was issued since the start',
    params: z.object({ id: z.string() }),
    responses: { 200: json(certificateRecordSchema, 'The certificate') },
    failures: [400, 404],
  }),
  getRoot: endpoint({
    method: 'GET',
    path: '/root',
    summary: 'Show the root certificate',
    responses: { 200: text('application/x-pem-file', 'The root certificate as PEM') },
    failures: [],
  }),
};

const jsonError = { contentType: 'application/json', schema: z.object({ error: z.string() }) };
const plainError = { contentType: 'text/plain', schema: z.string() };

/** OpenAPI 3.1 document of the dummy certificate authority. */
export function dummyCaOpenApi(): object {
  return openApiDocument(dummyCaContract, {
    title: 'Dummy certificate authority',
    version: '1.0.0',
    description: 'Signs CSRs for tests. Certificates are kept in memory and are lost on restart.',
    errorBody: (shape) => (shape.path === '/csr' ? jsonError : plainError),
  });
}

/** Typed client of the dummy certificate authority. */
export function createDummyCaClient(options: ClientOptions): Client<typeof dummyCaContract> {
  return createClient(dummyCaContract, options);
}
