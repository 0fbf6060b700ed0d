import type { Database, Tx } from '@certloop/db';
import { selectChannels } from './channel-selection.js';
import { type Channel, listProjectChannels, lockProjectChannelsForShare } from './channels.repository.js';
import { assignChannels } from './check-channels.repository.js';

/** Part of the notifier that channels need, which belongs to a later slice. */
export interface ChannelNotifier {
  /** Why an address that a user names may not be called, in the words of a call; undefined when it may be. */
  refusalOfTarget(url: string): Promise<string | undefined>;
  /** Why nothing can be sent to the channel as things are, in the words of a delivery; undefined where nothing is known. */
  obstacle(channel: Channel): string | undefined;
  /** Makes the messages that wait for a channel due at once. */
  hasten(tx: Tx, channelId: number): Promise<void>;
}

/** Channels of a project in the order of their making. */
export function listChannelsOf({ db }: { readonly db: Database }, projectId: string): Promise<Channel[]> {
  return db.read((tx) => listProjectChannels(tx, projectId));
}

/**
 * Channels of a project that `text` names, in the form of channel-selection, locked against deletion until the
 * transaction ends; throws InvalidInput.
 */
export async function pickChannels(tx: Tx, projectId: string, text: string): Promise<Channel[]> {
  if (text === '') return [];
  const available = await lockProjectChannelsForShare(tx, projectId);
  const chosen = new Set(
    selectChannels(
      text,
      available.map(({ uuid, name }) => ({ id: uuid, name })),
    ),
  );
  return available.filter(({ uuid }) => chosen.has(uuid));
}

/** Assigns all channels of the project to a check. */
export async function assignAllChannels(tx: Tx, projectId: string, checkId: number): Promise<void> {
  await assignChannels(tx, checkId, await lockProjectChannelsForShare(tx, projectId));
}
