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
  const networks = new Map<string, Map<string, number>>();
  return {
    has: (account, network, now) => {
      const at = networks.get(account)?.get(network);
      return at !== undefined && now - at < lifeMs;
    },
    note: (account, network, now) => {
      const own = networks.get(account) ?? new Map<string, number>();
      setLast(own, network, now, maxNetworks);
      setLast(networks, account, own, maxAccounts);
    },
  };
}

/** Sets an entry as the newest one; the oldest one goes when there are too many. */
function setLast<V>(map: Map<string, V>, key: string, value: V, max: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > max && oldest !== undefined) map.delete(oldest);
}
