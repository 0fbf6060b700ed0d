import { InvalidInput, NotFound } from '@certloop/contracts';
import { channelKindNames, findKind } from '../integrations/channel-kinds.js';
import type { ChannelKind } from '../integrations/kinds.js';
import { isUuid } from '../storable-text.js';

/** The channel that the parameters of a path name. Throws NotFound for what can be none. */
export function channelPathOf(
  projectId: string,
  channelId: string,
): { readonly projectId: string; readonly uuid: string } {
  const uuid = channelId.toLowerCase();
  if (!isUuid(uuid)) throw new NotFound('channel not found');
  return { projectId: projectId.toLowerCase(), uuid };
}

/** Throws InvalidInput that lists the kinds. */
export function requireKind(name: string): ChannelKind {
  const kind = findKind(name);
  if (kind === undefined) throw new InvalidInput(`kind: must be one of ${channelKindNames.join(', ')}`);
  return kind;
}
