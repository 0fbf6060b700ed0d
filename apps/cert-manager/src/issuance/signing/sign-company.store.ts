/** Calls of csr/sign that are under way, or were a moment ago: those that may share the next wait for the disk. */
export interface SignCompany {
  /** How many calls are under way without their CA at work, or ended beside another one a moment ago. */
  near(): number;
  /** For how many calls a CA is at work. */
  asking(): number;
  /** What `work` returns, a whole call. */
  join<T>(work: () => Promise<T>): Promise<T>;
  /** What `work` returns, the CA's part of a call. */
  ask<T>(work: () => Promise<T>): Promise<T>;
}

/** `lingerMs` is how soon a caller that got an answer asks again. */
export function createSignCompany(lingerMs: number): SignCompany {
  let underWay = 0;
  let lingering = 0;
  let asking = 0;
  return {
    near: () => underWay + lingering - asking,
    asking: () => asking,
    join: async (work) => {
      underWay += 1;
      const foundOthers = underWay > 1;
      try {
        return await work();
      } finally {
        // a caller that comes alone, again and again, does not wait for others
        if (foundOthers || underWay > 1) {
          lingering += 1;
          setTimeout(() => (lingering -= 1), lingerMs).unref();
        }
        underWay -= 1;
      }
    },
    ask: async (work) => {
      asking += 1;
      try {
        return await work();
      } finally {
        asking -= 1;
      }
    },
  };
}
