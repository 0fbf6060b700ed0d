import { z } from 'zod';

/** Types of identifier: `dns` (RFC 8555 §9.7.7) and `ip` (RFC 8738). */
export const acmeIdentifierTypes = ['dns', 'ip'] as const;

/** Identifier for which an order requests a certificate; the type stays open, since a server may know further ones. */
export const acmeIdentifierSchema = z
  .object({ type: z.string(), value: z.string() })
  .meta({ id: 'AcmeIdentifier' });
export type AcmeIdentifier = z.output<typeof acmeIdentifierSchema>;
