import { randomUUID } from 'node:crypto';
import { InvalidInput } from '@certloop/contracts';
import type { Database } from '@certloop/db';
import type { Micros } from '../instants.js';
import { getProject } from '../projects/projects.repository.js';
import { insertChannel } from './channels.repository.js';

export interface CreateChannelDeps {
  readonly database: Database;
  readonly now: () => Micros;
}

/** Kinds of channel that can be made. */
export const channelKinds = ['webhook'] as const;
type ChannelKind = (typeof channelKinds)[number];

export interface NewChannel {
  readonly projectId: string;
  readonly kind: ChannelKind;
  readonly name: string;
  readonly url: string;
}

/** Makes an integration; returns its uuid. Throws NotFound for the project, InvalidInput for name or address. */
export async function createChannel(deps: CreateChannelDeps, wanted: NewChannel): Promise<string> {
  const { projectId, kind, name, url } = wanted;
  if (name.trim() === '' || [...name].length > 100) {
    throw new InvalidInput('the name of a channel has 1 to 100 characters');
  }
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw new InvalidInput('the address of a webhook begins with http:// or https://');
  }
  const uuid = randomUUID();
  await deps.database.transaction(async (tx) => {
    await getProject(tx, projectId);
    await insertChannel(tx, { uuid, projectId, kind, name, settings: { url }, createdAt: deps.now() });
  });
  return uuid;
}
