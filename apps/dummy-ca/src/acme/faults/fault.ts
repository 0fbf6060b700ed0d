import { z } from 'zod';
import { type AcmePath, acmePaths } from '../acme-links.js';

const paths = Object.keys(acmePaths) as [AcmePath, ...AcmePath[]];

/** Where a fault strikes: an endpoint of ACME by its name, or any. */
const where = {
  endpoint: z.enum([...paths, 'any']).default('any'),
  /** How often it strikes before it is over; for good when absent. */
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

export type Fault = z.output<typeof faultSchema>;
export type FaultKind = Fault['fault'];

/** Numbers from 0 up to 1 that are the same for the same seed. */
export type Draw = () => number;

/** A small generator of 32 bits (mulberry32): of no use for secrets, of full use for tests that must repeat. */
export function seededDraw(seed: number): Draw {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface Strike<F extends Fault = Fault> {
  /** What strikes now; undefined when nothing does. */
  readonly struck: F | undefined;
  /** What is left to strike later. */
  readonly left: readonly Fault[];
}

/** The first of the faults of these kinds that strikes a request to the endpoint. */
export function strike<K extends FaultKind>(
  faults: readonly Fault[],
  endpoint: AcmePath,
  kinds: readonly K[],
  draw: Draw,
): Strike<Extract<Fault, { fault: K }>> {
  const isOfKind = (fault: Fault): fault is Extract<Fault, { fault: K }> =>
    kinds.some((kind) => kind === fault.fault);
  for (const [place, fault] of faults.entries()) {
    if (!isOfKind(fault) || (fault.endpoint !== 'any' && fault.endpoint !== endpoint)) continue;
    if (fault.rate < 1 && draw() >= fault.rate) continue;
    return { struck: fault, left: faults.flatMap((each, other) => (other === place ? spent(each) : [each])) };
  }
  return { struck: undefined, left: faults };
}

function spent(fault: Fault): Fault[] {
  if (fault.times === undefined) return [fault];
  return fault.times > 1 ? [{ ...fault, times: fault.times - 1 }] : [];
}
