import { randomUUID } from 'node:crypto';
import { InvalidInput } from '@certloop/contracts';
import type { Database } from '@certloop/db';
import type { Micros } from '../instants.js';
import { getProject } from '../projects/projects.repository.js';
import { type ChannelKind, parseChannelSettings } from './channel-kinds.js';
import { insertChannel } from './channels.repository.js';

export interface CreateChannelDeps {
  readonly database: Database;
  readonly now: () => Micros;
}

interface NewChannel {
  readonly projectId: string;
  readonly kind: ChannelKind;
  readonly name: string;
  /** As the kind wants them. */
  readonly settings: unknown;
  /** Whether the holder of the address is known to agree, so that nobody need ask. */
  readonly isVerified: boolean;
}

/** Makes an integration; returns its uuid. Throws NotFound for the project, InvalidInput for name or settings. */
export async function createChannel(deps: CreateChannelDeps, wanted: NewChannel): Promise<string> {
  const { projectId, kind, name, isVerified } = wanted;
  requireName(name);
  const settings = parseChannelSettings(kind, wanted.settings);
  const uuid = randomUUID();
  const createdAt = deps.now();
  const verifiedAt = isVerified ? createdAt : null;
  await deps.database.transaction(async (tx) => {
    await getProject(tx, projectId);
    await insertChannel(tx, { uuid, projectId, kind, name, settings, createdAt, verifiedAt });
  });
  return uuid;
}

/** Throws InvalidInput for a name that tells nothing or is too long. */
export function requireName(name: string): void {
  if (name.trim() === '' || [...name].length > 100) {
    throw new InvalidInput('the name of a channel has 1 to 100 characters');
  }
}
