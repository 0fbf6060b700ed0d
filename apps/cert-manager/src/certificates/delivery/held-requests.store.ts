/** Version of the newest certificate of an FQDN: another one for another certificate, and for another chain. */
export type CertificateVersion = string | undefined;

/** A request whose caller has the newest certificate already, and waits for the next one. */
export interface HeldRequest {
  readonly fqdnId: string;
  /** Version that the caller has. */
  readonly version: CertificateVersion;
  readonly until: Date;
  /** Ends it when the caller has gone. */
  readonly signal: AbortSignal;
}

/** How a held request ended: `full` if there was no room for it. */
export type HoldEnd = 'changed' | 'over' | 'full';

/** Requests of this process that wait for a newer certificate. */
export interface HeldRequests {
  /** Resolves when there may be another certificate, or when the time is over. Rejects with the reason of the signal. */
  hold(request: HeldRequest): Promise<HoldEnd>;
  /** FQDNs whose certificates are waited for. */
  fqdnIds(): string[];
  count(): number;
  /** Ends what waits for certificates of these FQDNs. */
  wake(fqdnIds: readonly string[]): void;
  /** Ends what waits for those of the given FQDNs whose newest certificate has another version now. */
  compare(versions: ReadonlyMap<string, CertificateVersion>): void;
  /** Ends what has waited long enough. */
  release(now: Date): void;
  /** Ends all; no other is held from then on. */
  close(): void;
}

interface Holding extends HeldRequest {
  readonly settle: (end: HoldEnd) => void;
}

export interface HoldLimits {
  readonly maxHeld: number;
  /** The longest that a caller may ask for: a clock that was set back holds no request longer. */
  readonly maxMs: number;
}

const usual: HoldLimits = { maxHeld: 2000, maxMs: 120_000 };

export function createHeldRequests({ maxHeld, maxMs }: HoldLimits = usual): HeldRequests {
  const byFqdn = new Map<string, Set<Holding>>();
  let count = 0;
  let isClosed = false;
  const add = (holding: Holding) => {
    const others = byFqdn.get(holding.fqdnId) ?? new Set();
    byFqdn.set(holding.fqdnId, others.add(holding));
    count += 1;
  };
  const remove = (holding: Holding) => {
    const others = byFqdn.get(holding.fqdnId);
    if (others?.delete(holding) === true) count -= 1;
    if (others?.size === 0) byFqdn.delete(holding.fqdnId);
  };
  const endIf = (end: HoldEnd, isOver: (holding: Holding) => boolean) => {
    for (const holdings of [...byFqdn.values()])
      for (const holding of [...holdings]) if (isOver(holding)) holding.settle(end);
  };
  return {
    hold: async (request) => {
      request.signal.throwIfAborted();
      if (isClosed) return 'over';
      if (count >= maxHeld) return 'full';
      return holdUntilSettled(request, add, remove);
    },
    fqdnIds: () => [...byFqdn.keys()],
    count: () => count,
    wake: (fqdnIds) => {
      for (const id of fqdnIds) for (const holding of [...(byFqdn.get(id) ?? [])]) holding.settle('changed');
    },
    // a request that came while the versions were read is not among them
    compare: (versions) =>
      endIf('changed', ({ fqdnId, version }) => versions.has(fqdnId) && versions.get(fqdnId) !== version),
    release: (now) => endIf('over', ({ until }) => until <= now || until.getTime() > now.getTime() + maxMs),
    close: () => {
      isClosed = true;
      endIf('over', () => true);
    },
  };
}

function holdUntilSettled(
  request: HeldRequest,
  add: (holding: Holding) => void,
  remove: (holding: Holding) => void,
): Promise<HoldEnd> {
  const { signal } = request;
  return new Promise((resolve, reject) => {
    const leave = () => {
      signal.removeEventListener('abort', gone);
      remove(holding);
    };
    const gone = () => {
      leave();
      reject(signal.reason);
    };
    const holding: Holding = {
      ...request,
      settle: (end) => {
        leave();
        resolve(end);
      },
    };
    signal.addEventListener('abort', gone, { once: true });
    add(holding);
  });
}
