import { z } from 'zod';
import { revocationReasonNames } from '../dummy-ca/certificate-status.js';
import { empty, endpoint, json, stream } from '../endpoint.js';
import * as scalars from '../scalars.js';
import { pageQuery } from './pages.js';
import { byFqdn } from './replies.js';
import { certificateFormats } from './words.js';

export { type CertificateFormat, certificateFormats } from './words.js';

/** A certificate; `pem` is the leaf, followed by its intermediates if there are any. */
export const certificateSchema = z
  .object({
    id: scalars.uuid,
    fqdnId: scalars.uuid,
    spaceId: scalars.uuid,
    pem: scalars.pem,
    issuer: z.string(),
    expiresAt: scalars.instant,
    createdAt: scalars.instant,
    /** After a refresh: `missing` when the provider does not know the certificate any more. */
    providerStatus: z.string().optional(),
    /** When and why it was revoked (RFC 5280 §5.3.1); absent while it is not. */
    revokedAt: scalars.instant.optional(),
    revocationReason: z.enum(revocationReasonNames).optional(),
    /** True for one that was imported, and that no provider issued. */
    imported: z.boolean().optional(),
  })
  .meta({ id: 'Certificate' });
export type Certificate = z.output<typeof certificateSchema>;

const byCertificate = byFqdn.extend({ certId: scalars.uuid });

const certificateFile = {
  200: stream(
    ['application/pem-certificate-chain', 'application/pkix-cert', 'application/x-pkcs7-certificates'],
    'The file, with ETag and Last-Modified',
  ),
  304: empty('The caller has the file that If-None-Match names'),
};

const formatQuery = z.object({ format: z.enum(certificateFormats).default('fullchain') });

export const certificatesContract = {
  deliverCertificate: endpoint({
    method: 'GET',
    path: '/spaces/{spaceId}/fqdns/{fqdnId}/certificate',
    summary: 'Download the newest certificate of an FQDN; with If-None-Match only when there is a newer one',
    params: byFqdn,
    query: formatQuery,
    responses: certificateFile,
    failures: [400, 401, 404],
  }),
  downloadCertificate: endpoint({
    method: 'GET',
    path: '/spaces/{spaceId}/fqdns/{fqdnId}/certificates/{certId}/download',
    summary: 'Download a certificate',
    params: byCertificate,
    query: formatQuery,
    responses: certificateFile,
    failures: [400, 401, 404],
  }),
  listCertificates: endpoint({
    method: 'GET',
    path: '/spaces/{spaceId}/fqdns/{fqdnId}/certificates',
    summary: 'List the certificates of an FQDN',
    params: byFqdn,
    query: z.object(pageQuery),
    responses: { 200: json(z.array(certificateSchema), 'Certificates') },
    failures: [400, 401, 404],
  }),
  importCertificate: endpoint({
    method: 'POST',
    path: '/spaces/{spaceId}/fqdns/{fqdnId}/certificates/import',
    summary: 'Store a certificate that was issued elsewhere, so that its expiry is watched',
    params: byFqdn,
    // the leaf, and its intermediates in any order
    body: { kind: 'json', schema: z.object({ pem: z.string().max(65_536) }) },
    responses: {
      200: json(certificateSchema, 'The certificate, which the FQDN has already'),
      201: json(certificateSchema, 'The imported certificate'),
    },
    failures: [400, 401, 403, 404],
  }),
  revokeCertificate: endpoint({
    method: 'POST',
    path: '/spaces/{spaceId}/fqdns/{fqdnId}/certificates/{certId}/revoke',
    summary: 'Revoke a certificate with the CA that issued it',
    params: byCertificate,
    body: { kind: 'json', schema: z.object({ reason: z.enum(revocationReasonNames) }) },
    responses: { 200: json(certificateSchema, 'The revoked certificate') },
    failures: [400, 401, 403, 404, 409, 502, 504],
  }),
};
