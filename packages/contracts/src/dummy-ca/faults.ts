import { z } from 'zod';

/** Endpoints of the ACME server of the authority, as the directory names them where it does. */
export const acmeEndpoints = [
  'directory',
  'newNonce',
  'newAccount',
  'newOrder',
  'newAuthz',
  'revokeCert',
  'keyChange',
  'renewalInfo',
  'renewalInfoOf',
  'account',
  'accountOrders',
  'order',
  'finalize',
  'authorization',
  'challenge',
  'certificate',
  'alternateChain',
  'issuer',
  'root',
] as const;
export type AcmeEndpoint = (typeof acmeEndpoints)[number];

/** `real` asks the applicant's server; the others decide without asking anybody. */
export const validationModes = ['real', 'always-valid', 'always-invalid'] as const;
export type ValidationMode = (typeof validationModes)[number];

/** Where a fault strikes: an endpoint of ACME by its name, or any. */
const where = {
  endpoint: z.enum([...acmeEndpoints, 'any']).default('any'),
  /** How often it strikes before it is over; permanently when absent. */
  times: z.int().min(1).max(1_000_000).optional(),
  /** Share of the requests that it strikes. */
  rate: z.number().gt(0).max(1).default(1),
};

/** Something that goes wrong on request. */
export const faultSchema = z
  .discriminatedUnion('fault', [
    z.strictObject({
      fault: z.literal('status').describe('refuse with an HTTP status'),
      status: z.union([z.literal(429), z.literal(500), z.literal(503)]),
      retryAfterSeconds: z.int().min(0).max(86_400).optional(),
      ...where,
    }),
    z.strictObject({ fault: z.literal('badNonce').describe('refuse a good nonce'), ...where }),
    z.strictObject({
      fault: z.literal('drop').describe('close the connection, before or after the work is done'),
      when: z.enum(['before', 'after']).default('after'),
      ...where,
    }),
    z.strictObject({
      fault: z.literal('delay').describe('answer late'),
      seconds: z.number().gt(0).max(600),
      ...where,
    }),
    z.strictObject({
      fault: z
        .literal('processing')
        .describe('leave an order or a challenge processing, for good without seconds'),
      seconds: z.int().min(1).max(86_400).optional(),
      ...where,
      endpoint: z.enum(['finalize', 'challenge']),
    }),
  ])
  .meta({ id: 'AcmeFault' });

export type AcmeFault = z.output<typeof faultSchema>;
