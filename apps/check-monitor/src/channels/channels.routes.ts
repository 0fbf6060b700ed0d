import type { channelsContract, Handlers } from '@certloop/contracts';
import { judgeGroups } from '../integrations/kinds/group/group-members.js';
import type { Caller } from '../projects/caller.js';
import type { AlertReachDeps } from './alert-reach.service.js';
import { listedChannel, listedWithState } from './channel-view.js';
import { listChannelsOf } from './channels.service.js';

export function channelsHandlers(deps: AlertReachDeps) {
  return {
    listChannels: async ({ context, query }) => {
      const found = await listChannelsOf(deps, context.projectId);
      if (query.include !== 'state') return { status: 200, body: { channels: found.map(listedChannel) } };
      const now = deps.clock.now();
      const obstacle = judgeGroups(found, deps.notifier.obstacle);
      const listed = found.map((one) => listedWithState(one, now, obstacle(one)));
      return { status: 200, body: { channels: listed } };
    },
  } satisfies Partial<Handlers<typeof channelsContract, Caller>>;
}
