/** Numbers of the calls that are having a CSR of the same FQDN signed at once. */
export interface SigningSlots {
  /** What `work` returns, called with the lowest number that no other call for the FQDN has in the meantime. */
  use<T>(fqdnId: string, work: (slot: number) => Promise<T>): Promise<T>;
}

export function createSigningSlots(): SigningSlots {
  const takenBy = new Map<string, Set<number>>();
  return {
    use: async (fqdnId, work) => {
      const taken = takenBy.get(fqdnId) ?? new Set();
      takenBy.set(fqdnId, taken);
      let slot = 0;
      while (taken.has(slot)) slot += 1;
      taken.add(slot);
      try {
        return await work(slot);
      } finally {
        taken.delete(slot);
        if (taken.size === 0) takenBy.delete(fqdnId);
      }
    },
  };
}
