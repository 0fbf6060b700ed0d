import type { Tx } from '@certloop/db';
import { countWaiting } from './watched-fqdns.repository.js';

/** What people need to look at so that the watch works again, a sentence each. */
export async function findWatchTroubles(tx: Tx): Promise<string[]> {
  const { renewal } = await countWaiting(tx);
  if (renewal === 0) return [];
  const few = `${renewal} certificates with renewal on have no check`;
  return [`${few}, as the monitor has no room: raise its limit of checks`];
}
