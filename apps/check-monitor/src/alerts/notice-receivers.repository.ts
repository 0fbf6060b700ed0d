import { column, querySql, type Tx } from '@certloop/db';
import { IsNull } from 'typeorm';
import { type Channel, channels, isUnreadable, readChannel } from '../channels/channels.repository.js';
import { isForPeople } from '../integrations/channel-kinds.js';

/** Receivers of notices that concern all projects. */
export interface NoticeReceivers {
  /** Mail addresses of owners of projects. */
  readonly owners: readonly string[];
  readonly channels: readonly Channel[];
}

const maxChannelsOfProject = 3;
const maxReceivers = 100;
const maxRead = 500;

/**
 * Owners of projects, and of each project up to three channels that people read and that work; 100 of both at most. Each
 * target is named once.
 */
export async function listNoticeReceivers(tx: Tx): Promise<NoticeReceivers> {
  const text = `select distinct u.email from users u join projects p on p.owner_id = u.id
    order by u.email limit ${maxReceivers}`;
  const owners = (await querySql(tx, { email: column.word(254) }, text)).map(({ email }) => email);
  const found = await tx.find(channels, {
    where: { disabledAt: IsNull(), failingSince: IsNull() },
    order: { projectId: 'ASC', id: 'ASC' },
    take: maxRead,
  });
  const seen = new Set(owners.map((address) => targetOf('email', { address })));
  const counts = new Map<string, number>();
  const chosen: Channel[] = [];
  for (const channel of found.map((row) => readChannel(tx, row))) {
    const count = counts.get(channel.projectId) ?? 0;
    const target = targetOf(channel.kind, channel.settings);
    if (!isFit(channel) || seen.has(target) || count === maxChannelsOfProject) continue;
    seen.add(target);
    counts.set(channel.projectId, count + 1);
    chosen.push(channel);
  }
  return { owners, channels: chosen.slice(0, maxReceivers) };
}

function isFit(channel: Channel): boolean {
  const hasConsent = channel.kind !== 'email' || channel.verifiedAt !== null;
  return isForPeople(channel.kind) && hasConsent && !isUnreadable(channel);
}

/** The same text for two channels that lead to the same target. */
function targetOf(kind: string, settings: object): string {
  const { address } = settings as { readonly address?: unknown };
  return JSON.stringify([kind, kind === 'email' ? address : settings]);
}
