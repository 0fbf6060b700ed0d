import type { Socket } from 'node:net';
import { networkOf } from '@certloop/server';

/**
 * Counts connections by the network that they come from, until they close. `admit` returns false for one too many,
 * which it does not count.
 */
export function createConnectionCounts(maxPerNetwork: number): { admit(socket: Socket): boolean } {
  const open = new Map<string, number>();
  return {
    admit: (socket) => {
      const network = networkOf(socket.remoteAddress ?? '');
      const count = open.get(network) ?? 0;
      if (count >= maxPerNetwork) return false;
      open.set(network, count + 1);
      socket.once('close', () => {
        const left = (open.get(network) ?? 1) - 1;
        if (left === 0) open.delete(network);
        else open.set(network, left);
      });
      return true;
    },
  };
}
