import { LRUCache } from 'lru-cache';
import { createGrowingCache } from '../concurrency/growing-cache.js';
/** Networks from which a password of an account was right, in bounded memory. */
export interface KnownNetworks {
  /** Whether the account was signed in from the network within the last 30 days. */
  has(account: string, network: string, now: number): boolean;
  note(account: string, network: string, now: number): void;
}

const lifeMs = 30 * 86_400_000;
const maxAccounts = 20_000;
const maxNetworks = 16;

export function createKnownNetworks(): KnownNetworks {
  const networks = createGrowingCache<LRUCache<string, number>>(maxAccounts);
  return {
    has: (account, network, now) => {
      const at = networks.peek(account)?.peek(network);
      return at !== undefined && now - at < lifeMs;
    },
    note: (account, network, now) => {
      const own = networks.get(account) ?? new LRUCache<string, number>({ max: maxNetworks });
      own.set(network, now);
      networks.set(account, own);
    },
  };
}
