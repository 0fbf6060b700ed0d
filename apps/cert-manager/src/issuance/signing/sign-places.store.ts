/** Numbers of the calls that are having a CSR of the same FQDN signed at once. */
export interface SignPlaces {
  /** What `work` returns, called with the lowest number that no other call for the FQDN has meanwhile. */
  use<T>(fqdnId: string, work: (place: number) => Promise<T>): Promise<T>;
}

export function createSignPlaces(): SignPlaces {
  const takenBy = new Map<string, Set<number>>();
  return {
    use: async (fqdnId, work) => {
      const taken = takenBy.get(fqdnId) ?? new Set();
      takenBy.set(fqdnId, taken);
      let place = 0;
      while (taken.has(place)) place += 1;
      taken.add(place);
      try {
        return await work(place);
      } finally {
        taken.delete(place);
        if (taken.size === 0) takenBy.delete(fqdnId);
      }
    },
  };
}
