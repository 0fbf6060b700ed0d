import { InvalidInput, NotFound } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import type { DbDeps } from '../db-deps.js';
import { findKind, keepSecrets, parseChannelSettings } from '../integrations/channel-kinds.js';
import { addressIn, isAddressOf, isSameAddress, needsConsent } from '../integrations/consent.js';
import type { ChannelKind } from '../integrations/kinds.js';
import {
  type Channel,
  deleteChannel,
  findChannel,
  updateChannel,
  wellHealth,
} from './channels.repository.js';
import type { ChannelNotifier } from './channels.service.js';
import { requireMembers, requireName, requireTargets } from './create-channel.service.js';

export interface ManageChannelsDeps extends DbDeps {
  readonly notifier: ChannelNotifier;
}

/** Which channel is meant: one of another project does not exist. */
export interface ChannelPath {
  readonly projectId: string;
  readonly uuid: string;
}

export interface ChannelEdit {
  readonly name?: string;
  /** Secrets that are omitted stay as they are. */
  readonly settings?: object;
  /** Address of the account that edits, which need not be asked. */
  readonly ownAddress?: string;
}

/** The channel. Throws NotFound. */
export function getChannel({ db }: ManageChannelsDeps, path: ChannelPath): Promise<Channel> {
  return db.read((tx) => requireChannel(tx, path));
}

/**
 * Changes name or settings; returns the channel as it is then. New settings switch it on again, and an address that is
 * new must be asked again. Throws NotFound, or InvalidInput for name and settings.
 */
export async function editChannel(
  deps: ManageChannelsDeps,
  path: ChannelPath,
  { name, settings, ownAddress }: ChannelEdit,
): Promise<Channel> {
  if (name !== undefined) requireName(name);
  if (settings !== undefined) {
    const channel = await getChannel(deps, path);
    await requireTargets(deps, requireKind(channel), editedSettings(channel, settings));
  }
  return deps.db.transaction(async (tx) => {
    const channel = await requireChannel(tx, path);
    const changes = {
      ...(name === undefined ? {} : { name }),
      ...(settings === undefined ? {} : await settingsChanges(tx, channel, settings)),
      ...(settings !== undefined && isAddressOf(channel.kind, settings, ownAddress)
        ? { verifiedAt: deps.clock.now() }
        : {}),
    };
    if (Object.keys(changes).length > 0) await updateChannel(tx, channel.id, changes);
    if (settings !== undefined) await deps.notifier.hasten(tx, channel.id);
    return { ...channel, ...changes };
  });
}

/** Throws NotFound. */
export async function removeChannel(
  { db }: Pick<ManageChannelsDeps, 'db'>,
  path: ChannelPath,
): Promise<void> {
  // with all its messages
  await db.longTransaction(async (tx) => deleteChannel(tx, (await requireChannel(tx, path)).id));
}

/** The channel, if the project has it. Throws NotFound. */
export async function requireChannel(tx: Tx, { projectId, uuid }: ChannelPath): Promise<Channel> {
  const channel = await findChannel(tx, uuid);
  if (channel === undefined || channel.projectId !== projectId) throw new NotFound('channel not found');
  return channel;
}

async function settingsChanges(tx: Tx, channel: Channel, given: object): Promise<Partial<Channel>> {
  const kind = requireKind(channel);
  const settings = editedSettings(channel, given);
  await requireMembers(tx, channel.projectId, kind, settings);
  const isAskedAnew = needsConsent(kind) && !isSameAddress(addressIn(settings), addressIn(channel.settings));
  // what has arrived with other settings shows nothing of these
  const unused = { disabledAt: null, lastError: null, lastDeliveredAt: null, ...wellHealth };
  const changes = { settings, ...unused };
  return isAskedAnew ? { ...changes, verifiedAt: null } : changes;
}

function editedSettings(channel: Channel, given: object): object {
  const kind = requireKind(channel);
  return parseChannelSettings(kind, keepSecrets(kind, given, channel.settings));
}

function requireKind({ kind }: Channel): ChannelKind {
  const known = findKind(kind);
  if (known === undefined) throw new InvalidInput('channels of this kind are no longer supported');
  return known;
}
