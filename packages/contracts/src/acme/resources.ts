import { z } from 'zod';
import * as scalars from '../scalars.js';
import { acmeIdentifierSchema } from './identifiers.js';
import { acmeProblemSchema } from './problems.js';

/** Statuses of RFC 8555 §7.1.6. */
export const acmeAccountStatuses = ['valid', 'deactivated', 'revoked'] as const;
export const acmeOrderStatuses = ['pending', 'ready', 'processing', 'valid', 'invalid'] as const;
export const acmeAuthorizationStatuses = [
  'pending',
  'valid',
  'invalid',
  'deactivated',
  'expired',
  'revoked',
] as const;
export const acmeChallengeStatuses = ['pending', 'processing', 'valid', 'invalid'] as const;

export type AcmeAccountStatus = (typeof acmeAccountStatuses)[number];
export type AcmeOrderStatus = (typeof acmeOrderStatuses)[number];
export type AcmeAuthorizationStatus = (typeof acmeAuthorizationStatuses)[number];
export type AcmeChallengeStatus = (typeof acmeChallengeStatuses)[number];

/** Challenges of RFC 8555 §8.3 and §8.4 and of RFC 8737. */
export const acmeChallengeTypes = ['http-01', 'dns-01', 'tls-alpn-01'] as const;
export type AcmeChallengeType = (typeof acmeChallengeTypes)[number];

const address = z.string().min(1);

/** Directory (RFC 8555 §7.1.1), with `renewalInfo` of RFC 9773 and `meta.profiles` of draft-ietf-acme-profiles. */
export const acmeDirectorySchema = z
  .looseObject({
    newNonce: address,
    newAccount: address,
    newOrder: address,
    newAuthz: address.optional(),
    revokeCert: address,
    keyChange: address,
    renewalInfo: address.optional(),
    meta: z
      .looseObject({
        termsOfService: address.optional(),
        website: address.optional(),
        caaIdentities: z.array(z.string()).optional(),
        externalAccountRequired: z.boolean().optional(),
        profiles: z.record(z.string(), z.string()).optional(),
      })
      .optional(),
  })
  .meta({ id: 'AcmeDirectory' });
export type AcmeDirectory = z.output<typeof acmeDirectorySchema>;

/** Account (RFC 8555 §7.1.2). */
export const acmeAccountSchema = z
  .looseObject({
    status: z.enum(acmeAccountStatuses),
    contact: z.array(z.string()).optional(),
    termsOfServiceAgreed: z.boolean().optional(),
    externalAccountBinding: z.looseObject({}).optional(),
    orders: address.optional(),
  })
  .meta({ id: 'AcmeAccount' });
export type AcmeAccount = z.output<typeof acmeAccountSchema>;

/** One page of an account's orders (RFC 8555 §7.1.2.1). */
export const acmeOrdersSchema = z.object({ orders: z.array(address) }).meta({ id: 'AcmeOrders' });
export type AcmeOrders = z.output<typeof acmeOrdersSchema>;

/** Order (RFC 8555 §7.1.3), with `replaces` of RFC 9773 §5 and `profile` of draft-ietf-acme-profiles. */
export const acmeOrderSchema = z
  .looseObject({
    status: z.enum(acmeOrderStatuses),
    expires: scalars.instant.optional(),
    identifiers: z.array(acmeIdentifierSchema),
    notBefore: scalars.instant.optional(),
    notAfter: scalars.instant.optional(),
    error: acmeProblemSchema.optional(),
    authorizations: z.array(address),
    finalize: address,
    certificate: address.optional(),
    replaces: z.string().optional(),
    profile: z.string().optional(),
  })
  .meta({ id: 'AcmeOrder' });
export type AcmeOrder = z.output<typeof acmeOrderSchema>;

/** Challenge (RFC 8555 §7.1.5 and §8); types that a client does not know have members of their own. */
export const acmeChallengeSchema = z
  .looseObject({
    type: z.string(),
    url: address,
    status: z.enum(acmeChallengeStatuses),
    validated: scalars.instant.optional(),
    error: acmeProblemSchema.optional(),
    token: z.string().optional(),
  })
  .meta({ id: 'AcmeChallenge' });
export type AcmeChallenge = z.output<typeof acmeChallengeSchema>;

/** Authorization (RFC 8555 §7.1.4). */
export const acmeAuthorizationSchema = z
  .looseObject({
    identifier: acmeIdentifierSchema,
    status: z.enum(acmeAuthorizationStatuses),
    expires: scalars.instant.optional(),
    challenges: z.array(acmeChallengeSchema),
    wildcard: z.boolean().optional(),
  })
  .meta({ id: 'AcmeAuthorization' });
export type AcmeAuthorization = z.output<typeof acmeAuthorizationSchema>;

/** When to renew a certificate (RFC 9773 §4.2). */
export const acmeRenewalInfoSchema = z
  .looseObject({
    suggestedWindow: z.object({ start: scalars.instant, end: scalars.instant }),
    explanationURL: z.string().optional(),
  })
  .meta({ id: 'AcmeRenewalInfo' });
export type AcmeRenewalInfo = z.output<typeof acmeRenewalInfoSchema>;
