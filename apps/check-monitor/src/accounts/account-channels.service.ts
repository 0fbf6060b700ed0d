import { AppError } from '@certloop/contracts';
import { countAssignedByChannel } from '../channels/assign-channel.repository.js';
import type { Channel } from '../channels/channels.repository.js';
import { listChannelsOf } from '../channels/channels.service.js';
import { createChannel, requireName } from '../channels/create-channel.service.js';
import {
  type ChannelEdit,
  type ChannelPath,
  editChannel,
  getChannel,
  type ManageChannelsDeps,
} from '../channels/manage-channels.service.js';
import { findKind, parseChannelSettings } from '../integrations/channel-kinds.js';
import { addressIn, isAddressOf, isWithoutConsent, needsConsent } from '../integrations/consent.js';
import { claimConsentMail } from '../notifications/consent/limit-consent.service.js';
import { askConsent, type ConsentDeps } from '../notifications/consent.service.js';
import type { User } from '../projects/users.repository.js';

export interface AccountChannelsDeps extends ManageChannelsDeps, Omit<ConsentDeps, 'notifier'> {
  readonly notifier: ManageChannelsDeps['notifier'] & ConsentDeps['notifier'];
}

/** An integration, and how many checks notify it where that is included. */
export interface ListedChannel {
  readonly channel: Channel;
  readonly checks?: number;
}

/** The integrations of a project. */
export async function listAccountChannels(
  deps: ManageChannelsDeps,
  projectId: string,
  { include }: { readonly include?: 'counts' | undefined },
): Promise<ListedChannel[]> {
  const channels = await listChannelsOf(deps, projectId);
  if (include !== 'counts') return channels.map((channel) => ({ channel }));
  const checks = await deps.db.longRead((tx) => countAssignedByChannel(tx, projectId));
  return channels.map((channel) => ({ channel, checks: checks.get(channel.uuid) ?? 0 }));
}

type WantedChannel = Omit<Parameters<typeof createChannel>[1], 'isVerified'>;

/**
 * Creates an integration, and sends a confirmation mail to its mail address unless that is the address of the user.
 * Throws InvalidInput, and too_many_requests if no mail may be sent there now.
 */
export async function addChannel(
  deps: AccountChannelsDeps,
  wanted: WantedChannel,
  user: Pick<User, 'id' | 'email'>,
): Promise<Channel> {
  const { kind, projectId } = wanted;
  const isVerified = isAddressOf(kind, wanted.settings, user.email);
  const asks = needsConsent(kind) && !isVerified && deps.notifier.sendMail !== undefined;
  if (asks) {
    // what is wrong with it must not use up the mail
    requireName(wanted.name);
    await claimConsentMail(deps, user.id, String(addressIn(parseChannelSettings(kind, wanted.settings))));
  }
  const uuid = await createChannel(deps, { ...wanted, isVerified });
  const channel = await getChannel(deps, { projectId, uuid });
  if (asks) await askConsent(deps, channel);
  return channel;
}

/**
 * Edits an integration, and sends a confirmation mail to a mail address that has not agreed. Throws NotFound or
 * InvalidInput, and too_many_requests if the address is new and no mail may be sent there now.
 */
export async function changeChannel(
  deps: AccountChannelsDeps,
  path: ChannelPath,
  edit: Omit<ChannelEdit, 'ownAddress'>,
  user: Pick<User, 'id' | 'email'>,
): Promise<Channel> {
  const { settings } = edit;
  const own = { ...edit, ...(settings !== undefined && { ownAddress: user.email }) };
  if (settings === undefined || deps.notifier.sendMail === undefined) return editChannel(deps, path, own);
  const before = await getChannel(deps, path);
  const address = addressIn(settings);
  const isNew = needsConsent(before.kind) && address !== addressIn(before.settings);
  const asksFirst = isNew && address !== user.email && typeof address === 'string';
  if (asksFirst) {
    const kind = findKind(before.kind);
    if (kind !== undefined) parseChannelSettings(kind, settings);
    if (edit.name !== undefined) requireName(edit.name);
    await claimConsentMail(deps, user.id, address);
  }
  const changed = await editChannel(deps, path, own);
  if (isWithoutConsent(changed) && (asksFirst || (await mayAskAgain(deps, user.id, changed)))) {
    await askConsent(deps, changed);
  }
  return changed;
}

/** Other settings of an address that has not agreed are changed whether it may be asked again or not. */
async function mayAskAgain(deps: AccountChannelsDeps, userId: string, channel: Channel): Promise<boolean> {
  try {
    await claimConsentMail(deps, userId, String(addressIn(channel.settings)));
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}
