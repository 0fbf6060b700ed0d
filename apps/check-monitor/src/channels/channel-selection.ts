import { InvalidInput } from '@certloop/contracts';

/** What a selection can tell channels by. */
export interface SelectableChannel {
  /** Lower-case uuid. */
  readonly id: string;
  readonly name: string;
}

/**
 * Ids of the channels that `text` names: `*` is all, nothing is none, else uuids and exact names between commas.
 * Throws InvalidInput at the first part, from the left, that is empty, unknown or not unique.
 */
export function selectChannels(text: string, available: readonly SelectableChannel[]): string[] {
  if (text === '*') return available.map(({ id }) => id);
  if (text === '') return [];
  return [...new Set(text.split(',').map((part) => findChannel(part, available)))];
}

function findChannel(part: string, available: readonly SelectableChannel[]): string {
  if (part === '') throw new InvalidInput('empty channel identifier');
  const [found, another] = available.filter(({ id, name }) => id === part || name === part);
  if (found === undefined) throw new InvalidInput(`invalid channel identifier: ${part}`);
  if (another !== undefined) throw new InvalidInput(`non-unique channel identifier: ${part}`);
  return found.id;
}
