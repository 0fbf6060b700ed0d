import type { Flip } from '@certloop/contracts';
import { isoSeconds, type Micros } from '../instants.js';

/** A flip on the wire. */
export function describeFlip({ at, newStatus }: { readonly at: Micros; readonly newStatus: string }): Flip {
  return { timestamp: isoSeconds(at), up: newStatus === 'up' ? 1 : 0 };
}
