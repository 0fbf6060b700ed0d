import { InvalidInput } from '@certloop/contracts';

/** Members by which a selection names channels. */
export interface SelectableChannel {
  /** Lower-case uuid. */
  readonly id: string;
  readonly name: string;
}

/**
 * Ids of the channels that `text` names: `*` is all, nothing is none, else uuids and exact names between commas.
 * Throws InvalidInput at the first part, from the left, that is empty, unknown or not unique. Takes time in proportion
 * to the text and the channels together, not to their product.
 */
export function selectChannels(text: string, available: readonly SelectableChannel[]): string[] {
  if (text === '*') return available.map(({ id }) => id);
  if (text === '') return [];
  const ids = mapIdentifiers(available);
  return [...new Set(text.split(',').map((part) => findChannel(part, ids)))];
}

/** Stands for an identifier that several channels have. */
const several = Symbol('several channels');

type IdsByIdentifier = ReadonlyMap<string, string | typeof several>;

/** Ids by every uuid and name that means a channel. */
function mapIdentifiers(available: readonly SelectableChannel[]): IdsByIdentifier {
  const ids = new Map<string, string | typeof several>();
  for (const { id, name } of available) {
    for (const identifier of [id, name]) {
      const known = ids.get(identifier);
      ids.set(identifier, known === undefined || known === id ? id : several);
    }
  }
  return ids;
}

function findChannel(part: string, ids: IdsByIdentifier): string {
  if (part === '') throw new InvalidInput('empty channel identifier');
  const id = ids.get(part);
  if (id === undefined) throw new InvalidInput(`invalid channel identifier: ${part}`);
  if (id === several) throw new InvalidInput(`non-unique channel identifier: ${part}`);
  return id;
}
