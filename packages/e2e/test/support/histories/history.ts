import type { Place } from '../../../src/main-job.js';
import type { OneProcess } from '../one-process.js';
import type { ForeignCa } from './foreign-certificates.js';
import type { Random } from './random.js';

export const second = 1000;
export const minute = 60 * second;
export const day = 1440 * minute;

/** What happens to one name, and what is known of it. */
export interface History {
  readonly seed: number;
  readonly name: string;
  readonly random: Random;
  /** Events so far, in words. */
  readonly events: string[];
  readonly spaceId: string;
  /** Another one after the name was deleted and added again. */
  fqdnId: string;
  /** Id of the target whose certificate is reported. */
  targetId: string | undefined;
  /** Messages about its check; `deleted` where it was deleted, since a check that is created again is new. */
  readonly messages: { readonly at: number; readonly status: string }[];
  /** When the monitor began to watch the certificate: it was known, its name watched, and both services ran. */
  watchedCertificate: { readonly id: string; readonly since: number } | undefined;
}

/** Histories that are played at once, in a few spaces, with one clock. */
export interface Batch {
  readonly stack: OneProcess;
  readonly random: Random;
  readonly histories: readonly History[];
  readonly spaceIds: readonly string[];
  readonly providers: { readonly builtIn: string; other: string };
  readonly state: BatchState;
  readonly foreignCa: ForeignCa;
  readonly breaches: string[];
}

/** What holds for all names of a batch. */
export interface BatchState {
  /** Spaces whose policy allows no provider, and those that are not watched. */
  readonly closedSpaces: Set<string>;
  readonly unwatchedSpaces: Set<string>;
  areProvidersDisabled: boolean;
  /** When a run first found that the monitor does not answer, and whether its notice arrived. */
  monitorAway: { since: number; isNoticed: boolean } | undefined;
  /** Before this moment nothing ran, or the monitor was away. */
  runningSince: number;
  /** After the clock was set back, checks that are down although all is well are compared again within a day. */
  comparedFrom: number;
}

export const placeOf = ({ spaceId, fqdnId }: History): Place => ({ spaceId, fqdnId });
