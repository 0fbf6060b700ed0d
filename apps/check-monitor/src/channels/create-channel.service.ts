import { randomUUID } from 'node:crypto';
import { InvalidInput } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import type { DbDeps } from '../db-deps.js';
import { parseChannelSettings } from '../integrations/channel-kinds.js';
import { targetsOf } from '../integrations/channel-targets.js';
import type { GroupSettings } from '../integrations/kinds/group/group-kind.js';
import type { ChannelKind } from '../integrations/kinds.js';
import { getProject, lockProjectForShare } from '../projects/projects.repository.js';
import { lockOwner } from '../projects/users.repository.js';
import { isStorable } from '../storable-text.js';
import { assignToAllChecks } from './assign-channel.repository.js';
import { insertChannel, listProjectChannels } from './channels.repository.js';
import type { ChannelNotifier } from './channels.service.js';

export interface CreateChannelDeps extends DbDeps {
  readonly notifier: Pick<ChannelNotifier, 'refusalOfTarget'>;
}

interface NewChannel {
  readonly projectId: string;
  readonly kind: ChannelKind;
  readonly name: string;
  /** As the kind wants them. */
  readonly settings: unknown;
  /** Whether the holder of the address is known to agree, so that no one need ask. */
  readonly isVerified: boolean;
  /** Whether all checks that the project has are assigned to it; true when absent. */
  readonly assign?: boolean | undefined;
}

/**
 * Makes an integration and assigns all checks of its project to it, all in one transaction; returns its uuid. Throws NotFound
 * for the project, InvalidInput for name or settings.
 */
export async function createChannel(deps: CreateChannelDeps, wanted: NewChannel): Promise<string> {
  const { projectId, kind, name, isVerified, assign = true } = wanted;
  requireName(name);
  const settings = parseChannelSettings(kind, wanted.settings);
  await requireTargets(deps, kind, settings);
  const uuid = randomUUID();
  const createdAt = deps.clock.now();
  const verifiedAt = isVerified ? createdAt : null;
  await deps.db.transaction(async (tx) => {
    // a check that is created or deleted at the same time waits, so that it is assigned as well or not at all
    if (assign) await lockOwner(tx, (await getProject(tx, projectId)).ownerId);
    await lockProjectForShare(tx, projectId);
    await requireMembers(tx, projectId, kind, settings);
    await insertChannel(tx, { uuid, projectId, kind, name, settings, createdAt, verifiedAt });
    if (assign) await assignToAllChecks(tx, projectId, uuid);
  });
  return uuid;
}

/** Throws InvalidInput for a name of blanks only, or one that is too long. It may be empty, as in Healthchecks. */
export function requireName(name: string): void {
  if ((name !== '' && name.trim() === '') || [...name].length > 100) {
    throw new InvalidInput('the name of a channel has at most 100 characters, and not only blanks');
  }
  if (!isStorable(name)) throw new InvalidInput('the name is not valid Unicode, or has null characters');
}

/** Throws InvalidInput for an address that would not be called, in the words of such a call. */
export async function requireTargets(
  { notifier }: Pick<CreateChannelDeps, 'notifier'>,
  kind: ChannelKind,
  settings: object,
): Promise<void> {
  for (const { path, url } of targetsOf(kind, settings)) {
    const refusal = await notifier.refusalOfTarget(url);
    if (refusal !== undefined) throw new InvalidInput(`settings.${path}: ${refusal}`);
  }
}

/** Throws InvalidInput unless the members of a group are channels of the project, and no groups themselves. */
export async function requireMembers(
  tx: Tx,
  projectId: string,
  kind: ChannelKind,
  settings: object,
): Promise<void> {
  if (kind !== 'group') return;
  const available = await listProjectChannels(tx, projectId);
  const members = new Set(available.filter((channel) => channel.kind !== 'group').map(({ uuid }) => uuid));
  const stranger = (settings as GroupSettings).channels.find((uuid) => !members.has(uuid));
  if (stranger !== undefined) throw new InvalidInput(`settings.channels: ${stranger} cannot be in the group`);
}
