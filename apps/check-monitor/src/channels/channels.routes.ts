import type { channelsContract, Handlers } from '@certloop/contracts';
import type { Clock } from '../instants.js';
import { judgeGroups } from '../integrations/kinds/group/group-members.js';
import type { Caller } from '../projects/caller.js';
import { listedChannel, listedWithState } from './channel-view.js';
import { type ChannelNotifier, type ChannelsDeps, listChannels } from './channels.service.js';

interface ChannelRoutesDeps extends ChannelsDeps {
  readonly clock: Clock;
  readonly notifier: Pick<ChannelNotifier, 'obstacle'>;
}

export function channelsHandlers(
  deps: ChannelRoutesDeps,
): Pick<Handlers<typeof channelsContract, Caller>, 'listChannels'> {
  return {
    listChannels: async ({ context, query }) => {
      const found = await listChannels(deps, context);
      if (query.include !== 'state') return { status: 200, body: { channels: found.map(listedChannel) } };
      const now = deps.clock.now();
      const obstacle = judgeGroups(found, deps.notifier.obstacle);
      const listed = found.map((one) => listedWithState(one, now, obstacle(one)));
      return { status: 200, body: { channels: listed } };
    },
  };
}
