import { z } from 'zod';
import { revocationReasonNames } from '../../dummy-ca/certificate-status.js';
import { empty, endpoint, json, stream } from '../../endpoint.js';
import * as scalars from '../../scalars.js';
import { chainExpiresAt } from '../chain-end.js';
import { pageQuery, storedPageQuery } from '../pages.js';
import { byFqdn } from '../replies.js';
import { certificateFormats, certificateSources, importSources } from '../words.js';
import { extensionSchema } from './csrs.js';

export { type CertificateFormat, certificateFormats } from '../words.js';

/** A certificate; `pem` is the leaf, followed by its intermediates if there are any. */
export const certificateSchema = z
  .object({
    id: scalars.uuid,
    fqdnId: scalars.uuid,
    spaceId: scalars.uuid,
    pem: scalars.pem,
    issuer: z.string(),
    expiresAt: scalars.instant,
    chainExpiresAt,
    createdAt: scalars.instant,
    /** After a refresh: `missing` when the provider no longer knows the certificate. */
    providerStatus: z.string().optional(),
    /** When and why it was revoked (RFC 5280 §5.3.1); absent while it is not. */
    revokedAt: scalars.instant.optional(),
    revocationReason: z.enum(revocationReasonNames).optional(),
    /** True for one that was imported, and that no provider issued. */
    imported: z.boolean().optional(),
    /** Where one that no provider issued was found, if that is known. */
    source: z.enum(certificateSources).optional(),
    /** True in the response to an import if its signature could not be verified, since its issuer was not sent. */
    unverified: z.boolean().optional(),
  })
  .meta({ id: 'Certificate' });
export type Certificate = z.output<typeof certificateSchema>;

/** A certificate of a chain, as one link of it. */
const chainLinkSchema = z.object({
  subject: z.string(),
  issuer: z.string(),
  expiresAt: scalars.instant,
  /** Over the DER, hex. */
  sha256: scalars.hex,
});

/** A certificate with all that is known about it; hex is lower-case without colons. */
export const certificateDetailSchema = certificateSchema
  .extend({
    subject: z.string(),
    serialNumber: z.string(),
    notBefore: scalars.instant,
    /** `spkiSha256` is what `openssl pkey -pubout -outform DER | openssl dgst -sha256` prints for the key. */
    publicKey: z.object({ algorithm: z.string(), size: z.int(), spkiSha256: scalars.hex }),
    signatureAlgorithm: z.string(),
    dnsNames: z.array(z.string()),
    ipAddresses: z.array(z.string()),
    extensions: z.array(extensionSchema),
    /** Over the DER of the leaf. */
    sha256: scalars.hex,
    /** The intermediates, from the issuer of the leaf upwards. */
    chain: z.array(chainLinkSchema),
    providerId: scalars.uuid.optional(),
    csrId: scalars.uuid.optional(),
    /** When a newer certificate of the FQDN was stored; absent for the newest. */
    replacedAt: scalars.instant.optional(),
    /** The certificate of the FQDN that was stored before this one, and the one after it. */
    replaces: scalars.uuid.optional(),
    replacedBy: scalars.uuid.optional(),
    /** The request that brought it, as long as that is stored. */
    jobId: scalars.uuid.optional(),
    /** The last download by the API, as long as the audit log has it. */
    lastDownload: z.object({ at: scalars.instant, by: z.string() }).optional(),
  })
  .meta({ id: 'CertificateDetail' });
export type CertificateDetail = z.output<typeof certificateDetailSchema>;

/** A certificate that was found in whatever space, with its FQDN. */
export const foundCertificateSchema = z
  .object({
    id: scalars.uuid,
    fqdnId: scalars.uuid,
    spaceId: scalars.uuid,
    fqdn: z.string(),
    spaceName: z.string(),
    issuer: z.string(),
    /** Hex, lower-case without colons. */
    serialNumber: z.string(),
    notBefore: scalars.instant,
    expiresAt: scalars.instant,
    chainExpiresAt,
    /** When a newer certificate of the FQDN was stored; absent for the newest. */
    replacedAt: scalars.instant.optional(),
    /** When it was revoked; absent while it is not. */
    revokedAt: scalars.instant.optional(),
  })
  .meta({ id: 'FoundCertificate' });
export type FoundCertificate = z.output<typeof foundCertificateSchema>;

/** A certificate as `format=json` has it: for programs that install it; hex is lower-case without colons. */
export const deliveredCertificateSchema = z
  .object({
    id: scalars.uuid,
    serialNumber: z.string(),
    /** Over the DER of the leaf. */
    sha256: scalars.hex,
    notBefore: scalars.instant,
    notAfter: scalars.instant,
    /** ETag of this form, for If-None-Match. */
    etag: z.string(),
    leaf: scalars.pem,
    /** The intermediates; '' if there are none. */
    chain: z.string(),
    fullchain: scalars.pem,
  })
  .meta({ id: 'DeliveredCertificate' });
export type DeliveredCertificate = z.output<typeof deliveredCertificateSchema>;

const byCertificate = byFqdn.extend({ certId: scalars.uuid });

const certificateFile = {
  200: stream(
    [
      'application/pem-certificate-chain',
      'application/pkix-cert',
      'application/x-pkcs7-certificates',
      'application/json',
    ],
    'The file, with ETag and Last-Modified',
    deliveredCertificateSchema,
  ),
  304: empty(
    'The caller has the file that If-None-Match names; Retry-After if the service holds too many requests',
  ),
};

const formatQuery = { format: z.enum(certificateFormats).default('fullchain') };

export const certificatesContract = {
  deliverCertificate: endpoint({
    method: 'GET',
    path: '/spaces/{spaceId}/fqdns/{fqdnId}/certificate',
    summary: 'Download the newest certificate of an FQDN; with If-None-Match only if it is a newer one',
    params: byFqdn,
    // Seconds to hold a request whose If-None-Match names the newest certificate, until there is a newer one.
    query: z.object({ ...formatQuery, wait: scalars.queryInteger(0, 120, 0) }),
    responses: certificateFile,
    failures: [400, 401, 404],
  }),
  downloadCertificate: endpoint({
    method: 'GET',
    path: '/spaces/{spaceId}/fqdns/{fqdnId}/certificates/{certId}/download',
    summary: 'Download a certificate',
    params: byCertificate,
    query: z.object(formatQuery),
    responses: certificateFile,
    failures: [400, 401, 404],
  }),
  getCertificate: endpoint({
    method: 'GET',
    path: '/spaces/{spaceId}/fqdns/{fqdnId}/certificates/{certId}',
    summary: 'Show a certificate in detail',
    params: byCertificate,
    responses: { 200: json(certificateDetailSchema, 'The certificate') },
    failures: [401, 404],
  }),
  findCertificates: endpoint({
    method: 'GET',
    path: '/certificates',
    summary: 'Find certificates of all spaces by serial number, fingerprint or id, newest first',
    query: z.object({
      // One of the three is needed.
      serialNumber: scalars.serialNumberText.optional(),
      /** Over the DER of the certificate, or over that of its public key. */
      sha256: scalars.sha256Text.optional(),
      id: scalars.uuid.optional(),
      ...pageQuery,
    }),
    responses: { 200: json(z.array(foundCertificateSchema), 'At most 1000 certificates') },
    failures: [400, 401],
  }),
  listCertificates: endpoint({
    method: 'GET',
    path: '/spaces/{spaceId}/fqdns/{fqdnId}/certificates',
    documented: true,
    summary: 'List the certificates of an FQDN, oldest first, or newest first with order=desc',
    params: byFqdn,
    query: z.object(storedPageQuery),
    responses: { 200: json(z.array(certificateSchema), 'Certificates') },
    failures: [400, 401, 404],
  }),
  importCertificate: endpoint({
    method: 'POST',
    path: '/spaces/{spaceId}/fqdns/{fqdnId}/certificates/import',
    summary: 'Store a certificate that was issued elsewhere, so that its expiry is monitored',
    params: byFqdn,
    body: {
      kind: 'json',
      schema: z.object({
        // The leaf, and its intermediates in any order.
        pem: z.string().max(65_536),
        /** The tool from whose files the certificate comes. */
        source: z.enum(importSources).optional(),
      }),
    },
    responses: {
      200: json(certificateSchema, 'The certificate, which the FQDN has already'),
      201: json(certificateSchema, 'The imported certificate'),
    },
    failures: [400, 401, 403, 404],
  }),
  revokeCertificate: endpoint({
    method: 'POST',
    path: '/spaces/{spaceId}/fqdns/{fqdnId}/certificates/{certId}/revoke',
    summary: 'Revoke a certificate at the CA that issued it',
    params: byCertificate,
    body: { kind: 'json', schema: z.object({ reason: z.enum(revocationReasonNames) }) },
    responses: { 200: json(certificateSchema, 'The revoked certificate') },
    failures: [400, 401, 403, 404, 409, 502, 504],
  }),
};
