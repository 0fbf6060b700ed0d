import type { accountContract } from '@certloop/contracts';

/**
 * Operations of the account API whose responses are compressed if the caller accepts it: those that grow with the data.
 * Not events and pings, which contain text of everyone who sends a ping, and no response with a token or key.
 */
export const compressedAnswers: ReadonlySet<keyof typeof accountContract> = new Set([
  'getCheckStates',
  'getDowntimes',
  'getDurations',
  'listAccountChecks',
  'listAccountFlips',
  'listChannelKinds',
  'listProjects',
]);
