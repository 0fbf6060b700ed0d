import type { z } from 'zod';

/** Facts of a kind of channel that need no call; its channel file has how messages are sent. */
export interface Kind {
  /** Name for people. */
  readonly label: string;
  readonly settings: z.ZodType<object>;
  /** Members of the settings that are accepted but never shown. */
  readonly secrets: readonly Secret[];
  /** Whether people read the messages, so that several changes may come in one. */
  readonly isForPeople: boolean;
  /** Whether the holder of the address must agree before anything is sent there; false when absent. */
  readonly needsConsent?: true;
  /** Whether the host of an address is known only when there is a message; never when absent. */
  readonly hasOpenHost?: (url: string) => boolean;
  /**
   * Settings from the value that Healthchecks stores for the kind; absent for a kind that it does not have. Throws
   * SyntaxError for a value that is not JSON.
   */
  readonly fromHealthchecks?: (value: string) => unknown;
}

export interface Secret {
  /** Names of the member and of what it is in, with dots between them. */
  readonly path: string;
  /**
   * Path of the address that the secret is sent to; null if no setting names one, as the secret is the address itself
   * or is sent to the service of the kind.
   */
  readonly sentTo: string | null;
}
