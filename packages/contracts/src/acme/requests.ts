import { z } from 'zod';
import * as scalars from '../scalars.js';
import { acmeIdentifierSchema } from './identifiers.js';

// Members that a server does not know are ignored (RFC 8555 §7.3, §7.3.2).

/** A payload that only has to be an object. */
export const anyObjectSchema = z.object({});

/** Payload of newAccount (RFC 8555 §7.3). */
export const newAccountSchema = z.object({
  contact: z.array(z.string()).optional(),
  termsOfServiceAgreed: z.boolean().optional(),
  onlyReturnExisting: z.boolean().optional(),
  externalAccountBinding: z.unknown().optional(),
});
export type NewAccount = z.output<typeof newAccountSchema>;

/**
 * Payload of a request to an account: its contacts, and `deactivated` as its status; all else is ignored, also
 * another status (RFC 8555 §7.3.2, §7.3.6).
 */
export const accountUpdateSchema = z.object({
  contact: z.array(z.string()).optional(),
  status: z.unknown().optional(),
});
export type AccountUpdate = z.output<typeof accountUpdateSchema>;

/** Payload of the inner JWS of a key change (RFC 8555 §7.3.5). */
export const keyChangeSchema = z.object({ account: z.string(), oldKey: z.unknown() });
export type KeyChange = z.output<typeof keyChangeSchema>;

/** Payload of newOrder (RFC 8555 §7.4, RFC 9773 §5, draft-ietf-acme-profiles §4). */
export const newOrderSchema = z.object({
  identifiers: z.array(acmeIdentifierSchema).min(1),
  notBefore: scalars.instant.optional(),
  notAfter: scalars.instant.optional(),
  replaces: z.string().optional(),
  profile: z.string().optional(),
});
export type NewOrder = z.output<typeof newOrderSchema>;

/** Payload of newAuthz (RFC 8555 §7.4.1). */
export const newAuthorizationSchema = z.object({ identifier: acmeIdentifierSchema });

/** Payload of a request to an authorization (RFC 8555 §7.5.2). */
export const authorizationUpdateSchema = z.object({ status: z.literal('deactivated') });

/** Payload of finalize: the CSR's DER in base64url (RFC 8555 §7.4). */
export const finalizeSchema = z.object({ csr: z.string() });

/** Payload of revokeCert: the certificate's DER in base64url, a reason of RFC 5280 §5.3.1 (RFC 8555 §7.6). */
export const revocationSchema = z.object({ certificate: z.string(), reason: z.int().optional() });
export type Revocation = z.output<typeof revocationSchema>;
