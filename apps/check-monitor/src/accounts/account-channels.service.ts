import type { Channel } from '../channels/channels.repository.js';
import { createChannel } from '../channels/create-channel.service.js';
import {
  type ChannelEdit,
  type ChannelPath,
  countChecksByChannel,
  editChannel,
  getChannel,
  listChannelsOf,
  type ManageChannelsDeps,
} from '../channels/manage-channels.service.js';
import { isAddressOf, isWithoutConsent } from '../integrations/consent.js';
import { askConsent, type ConsentDeps } from '../notifications/consent.service.js';

export interface AccountChannelsDeps extends ManageChannelsDeps, Omit<ConsentDeps, 'notifier'> {
  readonly notifier: ManageChannelsDeps['notifier'] & ConsentDeps['notifier'];
}

/** An integration, and how many checks notify it where that is included. */
export interface ListedChannel {
  readonly channel: Channel;
  readonly checks?: number;
}

/** The integrations of a project. */
export async function listChannels(
  deps: ManageChannelsDeps,
  projectId: string,
  { include }: { readonly include?: 'counts' | undefined },
): Promise<ListedChannel[]> {
  const channels = await listChannelsOf(deps, projectId);
  if (include !== 'counts') return channels.map((channel) => ({ channel }));
  const checks = await countChecksByChannel(deps, projectId);
  return channels.map((channel) => ({ channel, checks: checks.get(channel.uuid) ?? 0 }));
}

type WantedChannel = Omit<Parameters<typeof createChannel>[1], 'isVerified'>;

/**
 * Creates an integration, and sends a confirmation mail to its mail address unless that is `ownAddress`, the address
 * of the account. Throws InvalidInput.
 */
export async function addChannel(
  deps: AccountChannelsDeps,
  wanted: WantedChannel,
  ownAddress: string,
): Promise<Channel> {
  const isVerified = isAddressOf(wanted.kind, wanted.settings, ownAddress);
  const uuid = await createChannel(deps, { ...wanted, isVerified });
  return askedFirst(deps, await getChannel(deps, { projectId: wanted.projectId, uuid }));
}

/** Edits an integration, and sends a confirmation mail to a new mail address. Throws NotFound or InvalidInput. */
export async function changeChannel(
  deps: AccountChannelsDeps,
  path: ChannelPath,
  edit: ChannelEdit,
): Promise<Channel> {
  const changed = await editChannel(deps, path, edit);
  return edit.settings === undefined ? changed : askedFirst(deps, changed);
}

/** Without a mail server, neither confirmations nor alerts can be mailed. */
async function askedFirst(deps: AccountChannelsDeps, channel: Channel): Promise<Channel> {
  if (isWithoutConsent(channel) && deps.notifier.sendMail !== undefined) await askConsent(deps, channel);
  return channel;
}
