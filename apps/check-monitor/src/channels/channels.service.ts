import type { Database, Tx } from '@certloop/db';
import type { Caller } from '../projects/caller.js';
import { selectChannels } from './channel-selection.js';
import {
  assignChannels,
  type Channel,
  keepProjectChannels,
  listProjectChannels,
} from './channels.repository.js';

export interface ChannelsDeps {
  readonly database: Database;
}

/** Integrations of the caller's project. */
export function listChannels({ database }: ChannelsDeps, caller: Caller): Promise<Channel[]> {
  return database.read((tx) => listProjectChannels(tx, caller.projectId));
}

/**
 * Channels of a project that `text` names, in the form of channel-selection, kept from being deleted until the
 * transaction ends; throws InvalidInput.
 */
export async function pickChannels(tx: Tx, projectId: string, text: string): Promise<Channel[]> {
  if (text === '') return [];
  const available = await keepProjectChannels(tx, projectId);
  const chosen = new Set(
    selectChannels(
      text,
      available.map(({ uuid, name }) => ({ id: uuid, name })),
    ),
  );
  return available.filter(({ uuid }) => chosen.has(uuid));
}

/** Tells all channels of the project of a check. */
export async function assignAllChannels(tx: Tx, projectId: string, checkId: number): Promise<void> {
  await assignChannels(tx, checkId, await keepProjectChannels(tx, projectId));
}
