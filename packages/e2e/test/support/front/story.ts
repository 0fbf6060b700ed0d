import type { FrontPlace } from './front-place.js';

/** What an ACME client, a server or a program does with cert-manager. */
export interface Story {
  readonly label: string;
  readonly shows: string;
  readonly isThere: boolean;
  /** Whether it needs certificates that are an hour old from the start. */
  readonly needsBackdate?: boolean;
  /** Rejects unless it ends as it should. */
  readonly play: (place: FrontPlace) => Promise<void>;
}
