import { valueAt } from './channel-kinds.js';
import type { Kind } from './kind.js';
import { type ChannelKind, channelKinds } from './kinds.js';

/** An address in the settings of a channel. */
export interface ChannelTarget {
  /** Names of the member and of what it is in, with dots between them. */
  readonly path: string;
  readonly url: string;
}

const paths = ['url', 'down.url', 'up.url'];

/**
 * Addresses that messages of a channel go to. A host with a placeholder is none: it is known only when there is a
 * message.
 */
export function targetsOf(kind: ChannelKind, settings: object): ChannelTarget[] {
  const { hasOpenHost }: Kind = channelKinds[kind];
  return paths.flatMap((path) => {
    const url = valueAt(settings, path);
    if (typeof url !== 'string' || !URL.canParse(url)) return [];
    return hasOpenHost?.(url) ? [] : [{ path, url }];
  });
}
