import { z } from 'zod';
import { revocationReasonNames } from '../dummy-ca/certificate-status.js';
import { endpoint, json } from '../endpoint.js';
import * as scalars from '../scalars.js';
import { pageQuery } from './pages.js';
import { byFqdn } from './replies.js';

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

export const certificatesContract = {
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
    params: byFqdn.extend({ certId: scalars.uuid }),
    body: { kind: 'json', schema: z.object({ reason: z.enum(revocationReasonNames) }) },
    responses: { 200: json(certificateSchema, 'The revoked certificate') },
    failures: [400, 401, 403, 404, 409, 502, 504],
  }),
};
