import type { AcmePath } from '@certloop/acme-server/rules';
import type { AcmeFault } from '@certloop/contracts';

/** Something that goes wrong on request. */
export type Fault = AcmeFault;
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
  /** Fault that strikes now; undefined if none does. */
  readonly struck: F | undefined;
  /** Faults that are left to strike later. */
  readonly left: readonly Fault[];
}

/** The first of the faults of these kinds that strikes a request to the endpoint. */
export function drawFault<K extends FaultKind>(
  faults: readonly Fault[],
  endpoint: AcmePath,
  kinds: readonly K[],
  draw: Draw,
): Strike<Extract<Fault, { fault: K }>> {
  const isOfKind = (fault: Fault): fault is Extract<Fault, { fault: K }> =>
    kinds.some((kind) => kind === fault.fault);
  for (const [place, fault] of faults.entries()) {
    if (!isOfKind(fault) || !isFor(fault, endpoint)) continue;
    if (fault.rate < 1 && draw() >= fault.rate) continue;
    return { struck: fault, left: faults.flatMap((each, other) => (other === place ? spent(each) : [each])) };
  }
  return { struck: undefined, left: faults };
}

function isFor({ endpoint: named }: Fault, asked: AcmePath): boolean {
  if (named === 'any' || named === asked) return true;
  // Nothing is asked of the address in the directory, only of those below it (RFC 9773 §4.1).
  return named === 'renewalInfo' && asked === 'renewalInfoOf';
}

function spent(fault: Fault): Fault[] {
  if (fault.times === undefined) return [fault];
  return fault.times > 1 ? [{ ...fault, times: fault.times - 1 }] : [];
}
