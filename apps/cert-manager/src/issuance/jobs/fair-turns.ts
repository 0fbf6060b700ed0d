/** Where one that waits belongs. */
export interface TurnPlace {
  readonly spaceId: string;
  /** The ACME client; null for all other requests of the space, which count as one client. */
  readonly clientId: string | null;
}

/** Those that wait: each space has its turn, in it each client, and of a client the one that came first. */
export interface FairTurns<Waiting> {
  add(place: TurnPlace, waiting: Waiting): void;
  /** Removes the next one and returns it; undefined if none waits. */
  next(): Waiting | undefined;
}

export function createFairTurns<Waiting>(): FairTurns<Waiting> {
  const spaces = new Map<string, Map<string, Waiting[]>>();
  return {
    add: ({ spaceId, clientId }, waiting) => {
      const clients = spaces.get(spaceId) ?? new Map<string, Waiting[]>();
      const client = clients.get(clientId ?? '') ?? [];
      client.push(waiting);
      clients.set(clientId ?? '', client);
      spaces.set(spaceId, clients);
    },
    next: () => {
      for (const [spaceId, clients] of spaces) {
        for (const [clientId, client] of clients) {
          const waiting = client.shift();
          // to the end: the others come first
          clients.delete(clientId);
          if (client.length > 0) clients.set(clientId, client);
          spaces.delete(spaceId);
          if (clients.size > 0) spaces.set(spaceId, clients);
          return waiting;
        }
      }
      return undefined;
    },
  };
}
