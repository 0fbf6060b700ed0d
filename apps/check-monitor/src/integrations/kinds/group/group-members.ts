import type { GroupSettings } from './group-kind.js';

/** The members of a channel that say whether it is a group, and of which channels. */
export interface GroupedChannel {
  readonly uuid: string;
  readonly projectId: string;
  readonly kind: string;
  readonly settings: object;
  readonly disabledAt: number | null;
}

/** Reason why nothing can be sent to a group. */
export const unableGroup = 'None of its integrations can send.';

/** Uuids of the members of a group. */
export function membersOf({ settings }: Pick<GroupedChannel, 'settings'>): readonly string[] {
  return (settings as Partial<GroupSettings>).channels ?? [];
}

/** Channels that a message to the group goes to: a group within a group could be itself, so it counts for nothing. */
export function foundMembers<Found extends GroupedChannel>(
  group: GroupedChannel,
  byUuid: ReadonlyMap<string, Found>,
): Found[] {
  const found = membersOf(group).flatMap((uuid) => byUuid.get(uuid) ?? []);
  return found.filter(({ kind, projectId }) => kind !== 'group' && projectId === group.projectId);
}

/**
 * The judge of single channels for all channels of a project: a group cannot send where none of its members is
 * switched on and can.
 */
export function judgeGroups<Found extends GroupedChannel>(
  channels: readonly Found[],
  obstacle: (channel: Found) => string | undefined,
): (channel: Found) => string | undefined {
  const byUuid = new Map(channels.map((channel) => [channel.uuid, channel]));
  const canSend = (member: Found) => member.disabledAt === null && obstacle(member) === undefined;
  return (channel) => {
    const own = obstacle(channel);
    if (own !== undefined || channel.kind !== 'group') return own;
    return foundMembers(channel, byUuid).some(canSend) ? undefined : unableGroup;
  };
}
