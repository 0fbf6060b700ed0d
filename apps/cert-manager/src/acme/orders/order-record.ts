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
  /** How often the CA has refused since to tell of the order. */
  refusedLooks: z.number().optional(),
});
/** How far an order has come, as it is kept between requests to the CA. */
export type OrderRecord = z.output<typeof orderRecord>;

/** Record of what was kept; an empty one for a new order, or for what another version kept. */
export function readOrderRecord(kept: unknown): OrderRecord {
  return orderRecord.safeParse(kept).data ?? {};
}

/** Whether the CA has perhaps issued a certificate by the order that was kept. */
export function isHandedIn(kept: unknown): boolean {
  return readOrderRecord(kept).isFinalizing === true;
}

/** Name that a proof is for, as people know it. */
export function provenName({
  identifier,
  isWildcard,
}: Pick<ProofRecord, 'identifier' | 'isWildcard'>): string {
  return isWildcard ? `*.${identifier.value}` : identifier.value;
}
