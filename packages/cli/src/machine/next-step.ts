/** A certificate with its key on this machine, of which the server may serve one. */
export interface InstalledPair {
  /** Name of its folder, which begins with the time. */
  readonly name: string;
  readonly notAfter: Date;
  /** Leaf and chain as PEM. */
  readonly fullchain: string;
  /** Digest of the public key. */
  readonly spkiSha256: string;
  /** Whether the server was reloaded with it, and found to serve it where that is checked. */
  readonly isServed: boolean;
}

/** A key that waits for its certificate. */
export interface PendingKey {
  readonly spkiSha256: string;
  readonly hasCsr: boolean;
  readonly isUploaded: boolean;
}

/** State of the folder of an FQDN. */
export interface OnDisk {
  /** The pair that the link `current` names. */
  readonly current: InstalledPair | undefined;
  /** All whole pairs, `current` included, oldest first. */
  readonly pairs: readonly InstalledPair[];
  readonly pending: PendingKey | undefined;
  /** Digest of the public key of `--key`. */
  readonly givenKey: string | undefined;
  /** Whether a copy has other content than `current`. */
  readonly areCopiesStale: boolean;
}

/** The newest certificate of the manager: `unknown` before it was asked, `none` while there is none. */
export type Newest =
  | 'unknown'
  | 'none'
  | 'unchanged'
  | { readonly fullchain: string; readonly spkiSha256: string };

export type Step =
  | 'drop_pending'
  | 'mend_copies'
  | 'activate'
  | 'make_key'
  | 'make_csr'
  | 'upload_csr'
  | 'ask'
  | 'wait'
  | 'install'
  | 'refuse';

/**
 * The next step by what is on the disk and what the manager has. A process that was killed at any step goes on by the same
 * table: what is here is made whole before anything is asked.
 */
export function nextStep(disk: OnDisk, newest: Newest, { wantsKey }: { readonly wantsKey: boolean }): Step {
  const { current, pending } = disk;
  if (pending !== undefined && disk.pairs.some(({ spkiSha256 }) => spkiSha256 === pending.spkiSha256))
    return 'drop_pending';
  if (current !== undefined && disk.areCopiesStale) return 'mend_copies';
  if (current?.isServed === false) return 'activate';
  if (wantsKey && keysOf(disk).length === 0) return 'make_key';
  if (pending?.hasCsr === false) return 'make_csr';
  if (pending?.isUploaded === false) return 'upload_csr';
  if (newest === 'unknown') return 'ask';
  if (newest === 'none' || newest === 'unchanged' || newest.fullchain === current?.fullchain) return 'wait';
  if (keysOf(disk).includes(newest.spkiSha256)) return 'install';
  // the certificate for the uploaded CSR is still to come
  return pending === undefined ? 'refuse' : 'wait';
}

function keysOf({ pairs, pending, givenKey }: OnDisk): string[] {
  const digests = [givenKey, pending?.spkiSha256, ...pairs.map(({ spkiSha256 }) => spkiSha256)];
  return digests.filter((digest) => digest !== undefined);
}

/** Part of an activation that failed. */
export type FailedStage = 'test' | 'reload' | 'verify';

/** Reaction to a failed activation: `stay` with the new pair, `switch` back, or switch back and `reload` too. */
export type Retreat = 'stay' | 'switch' | 'reload';

const dayMs = 86_400_000;

/** The pair that was served before `current`, to which a failed activation returns. */
export function earlierPair({ current, pairs }: OnDisk): InstalledPair | undefined {
  return pairs.findLast(({ name, isServed }) => isServed && name !== current?.name);
}

/**
 * Without an earlier pair there is nothing to return to. After a failed test nothing was reloaded, and nothing is. An
 * earlier pair that ends within a day would soon be worse than the new one.
 */
export function retreatAfter(stage: FailedStage, earlier: InstalledPair | undefined, now: Date): Retreat {
  if (earlier === undefined) return 'stay';
  if (stage === 'test') return 'switch';
  return earlier.notAfter.getTime() <= now.getTime() + dayMs ? 'stay' : 'reload';
}

const maxEarlier = 2;

/** Names of the pairs that are no longer needed: all but `current`, newer ones, and two earlier ones that have not expired. */
export function obsoletePairs({ current, pairs }: OnDisk, now: Date): string[] {
  if (current === undefined) return [];
  const earlier = pairs.filter(({ name }) => name < current.name);
  const retained = new Set(earlier.slice(-maxEarlier).filter(({ notAfter }) => notAfter > now));
  return earlier.filter((pair) => !retained.has(pair)).map(({ name }) => name);
}

const minuteMs = 60_000;
const hourMs = 3_600_000;

/**
 * Milliseconds until the manager is asked again after so many failures: anything up to a minute, doubled to an hour, so
 * that many machines do not return together. A Retry-After in seconds wins, up to a day.
 */
export function pauseAfterFailure(failures: number, random: number, retryAfter: string | undefined): number {
  const asked = Number(retryAfter ?? Number.NaN) * 1000;
  if (asked >= 0) return Math.min(asked, dayMs);
  return Math.round(random * Math.min(minuteMs * 2 ** Math.max(0, failures - 1), hourMs));
}

/** Whether less than a fifth of the lifetime is left. */
export function endsSoon({ notBefore, notAfter }: { notBefore: Date; notAfter: Date }, now: Date): boolean {
  return notAfter.getTime() - now.getTime() < (notAfter.getTime() - notBefore.getTime()) / 5;
}
