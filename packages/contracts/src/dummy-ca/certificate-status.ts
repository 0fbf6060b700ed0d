import { z } from 'zod';
import { bytes, endpoint, json } from '../endpoint.js';
import * as scalars from '../scalars.js';

/** Reasons of a revocation (RFC 5280 §5.3.1). */
export const revocationReasonNames = [
  'unspecified',
  'keyCompromise',
  'cACompromise',
  'affiliationChanged',
  'superseded',
  'cessationOfOperation',
  'certificateHold',
  'privilegeWithdrawn',
  'aACompromise',
] as const;
export type RevocationReasonName = (typeof revocationReasonNames)[number];

export const caIssuerNames = ['root', 'intermediate', 'alternate-root'] as const;
export type CaIssuerName = (typeof caIssuerNames)[number];

/** Whether a certificate is revoked; times in ISO 8601. */
export const certificateStatusSchema = z
  .object({
    /** Lower-case hex. */
    serial_number: z.string(),
    issuer: z.enum(caIssuerNames),
    status: z.enum(['good', 'revoked']),
    not_after: scalars.instant,
    revoked_at: scalars.instant.optional(),
    reason: z.enum(revocationReasonNames).optional(),
  })
  .meta({ id: 'CertificateStatus' });
export type CertificateStatus = z.output<typeof certificateStatusSchema>;

/** Hex of a serial number in any case, colons allowed; handed on as `serialNumberIn` returns it. */
export const serialNumber = z
  .string()
  .regex(/^(?:[0-9a-f]{1,40}|[0-9a-f]{2}(?::[0-9a-f]{2}){0,19})$/i, 'must be a serial number in hexadecimal')
  .pipe(scalars.serialNumberText)
  .meta({ type: 'string' });

const issuer = z.object({ issuer: z.enum(caIssuerNames) });
const ocsp = 'application/ocsp-response';

/** Operations by which verifiers find out what is revoked. */
export const statusContract = {
  getCertificateStatus: endpoint({
    method: 'GET',
    path: '/certificate-status/{serial_number}',
    summary: 'Report whether a certificate is revoked',
    params: z.object({ serial_number: serialNumber }),
    responses: { 200: json(certificateStatusSchema, 'The status') },
    failures: [404],
  }),
  getRevocationList: endpoint({
    method: 'GET',
    path: '/crls/{issuer}',
    summary: 'Show the revocation list of an issuer (RFC 5280)',
    params: issuer,
    responses: { 200: bytes('application/pkix-crl', 'The list in DER') },
    failures: [404],
  }),
  getIssuer: endpoint({
    method: 'GET',
    path: '/issuers/{issuer}',
    summary: 'Show the certificate of an issuer',
    params: issuer,
    responses: { 200: bytes('application/pkix-cert', 'The certificate in DER') },
    failures: [404],
  }),
  askOcsp: endpoint({
    method: 'POST',
    path: '/ocsp',
    summary: 'Ask for the status of certificates by OCSP (RFC 6960)',
    body: { kind: 'raw' },
    responses: { 200: bytes(ocsp, 'The answer in DER, malformedRequest among them') },
    failures: [405],
  }),
  askOcspByAddress: endpoint({
    method: 'GET',
    path: '/ocsp/{request}',
    summary: 'Ask for the status of certificates by OCSP, with the request in Base64 in the path',
    params: z.object({ request: z.string() }),
    responses: { 200: bytes(ocsp, 'The answer in DER, malformedRequest among them') },
    failures: [405],
  }),
};
