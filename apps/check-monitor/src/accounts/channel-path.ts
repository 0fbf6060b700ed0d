import { InvalidInput, NotFound } from '@certloop/contracts';
import { channelKindNames, findKind } from '../integrations/channel-kinds.js';
import type { ChannelKind } from '../integrations/kinds.js';

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The channel that the parameters of a path name. Throws NotFound for what can be none. */
export function channelPathOf(
  projectId: string,
  channelId: string,
): { readonly projectId: string; readonly uuid: string } {
  if (!uuidForm.test(channelId)) throw new NotFound('channel not found');
  return { projectId: projectId.toLowerCase(), uuid: channelId.toLowerCase() };
}

/** Throws InvalidInput that lists the kinds. */
export function requireKind(name: string): ChannelKind {
  const kind = findKind(name);
  if (kind === undefined) throw new InvalidInput(`kind: must be one of ${channelKindNames.join(', ')}`);
  return kind;
}
