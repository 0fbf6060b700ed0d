import { z } from 'zod';
import { proofTypes } from './order-plan.js';

const proofRecord = z.object({
  type: z.enum(proofTypes),
  /** URL of the challenge. */
  url: z.string(),
  token: z.string(),
  identifier: z.object({ type: z.string(), value: z.string() }),
  isWildcard: z.boolean(),
  /** Name of the DNS record that proves it, which a CNAME may have led to. */
  recordName: z.string().optional(),
});
/** A challenge that was chosen, and perhaps met in public already. */
export type ProofRecord = z.output<typeof proofRecord>;

const orderRecord = z.object({
  /** The CA is being asked for an order; whether it has one by now is not known. */
  isOrdering: z.boolean().optional(),
  url: z.string().optional(),
  proofs: z.array(proofRecord).optional(),
  /** The CA has perhaps been given the CSR. */
  isFinalizing: z.boolean().optional(),
  /** How often the CA has refused since then to show the order. */
  refusedLooks: z.number().optional(),
});
/** Progress of an order, as stored between requests to the CA. */
export type OrderRecord = z.output<typeof orderRecord>;

/** Parses a stored record; returns an empty one for a new order and for the record of another version. */
export function readOrderRecord(stored: unknown): OrderRecord {
  return orderRecord.safeParse(stored).data ?? {};
}

/** Whether the CA may have issued a certificate for the stored order. */
export function isCsrSent(stored: unknown): boolean {
  return readOrderRecord(stored).isFinalizing === true;
}

/** Name that a proof is for, as people know it. */
export function provenName({
  identifier,
  isWildcard,
}: Pick<ProofRecord, 'identifier' | 'isWildcard'>): string {
  return isWildcard ? `*.${identifier.value}` : identifier.value;
}
