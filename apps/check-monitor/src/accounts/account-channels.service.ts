import type { Channel } from '../channels/channels.repository.js';
import { createChannel } from '../channels/create-channel.service.js';
import {
  type ChannelEdit,
  type ChannelPath,
  editChannel,
  getChannel,
  type ManageChannelsDeps,
} from '../channels/manage-channels.service.js';
import { isAddressOf, isWithoutConsent } from '../integrations/consent.js';
import { askConsent, type ConsentDeps } from '../notifications/consent.service.js';

export interface AccountChannelsDeps extends ManageChannelsDeps, Omit<ConsentDeps, 'notifier'> {
  readonly notifier: ManageChannelsDeps['notifier'] & ConsentDeps['notifier'];
}

type WantedChannel = Omit<Parameters<typeof createChannel>[1], 'isVerified'>;

/**
 * Makes an integration, and asks the holder of a mail address to agree unless it is `ownAddress`, that of the account
 * that makes it. Throws InvalidInput.
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

/** Edits an integration, and asks the holder of a new mail address. Throws NotFound or InvalidInput. */
export async function changeChannel(
  deps: AccountChannelsDeps,
  path: ChannelPath,
  edit: ChannelEdit,
): Promise<Channel> {
  const changed = await editChannel(deps, path, edit);
  return edit.settings === undefined ? changed : askedFirst(deps, changed);
}

/** Without a mail server no one can be asked for consent, nor notified. */
async function askedFirst(deps: AccountChannelsDeps, channel: Channel): Promise<Channel> {
  if (isWithoutConsent(channel) && deps.notifier.sendMail !== undefined) await askConsent(deps, channel);
  return channel;
}
