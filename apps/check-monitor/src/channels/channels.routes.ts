import type { channelsContract, Handlers } from '@certloop/contracts';
import type { Caller } from '../projects/caller.js';
import { listedChannel } from './channel-view.js';
import { type ChannelsDeps, listChannels } from './channels.service.js';
import { judgeGroups } from './group/group-members.js';
import { type ManageChannelsDeps, testChannel } from './manage-channels.service.js';

export function channelsHandlers(
  deps: ChannelsDeps & ManageChannelsDeps,
): Handlers<typeof channelsContract, Caller> {
  return {
    listChannels: async ({ context }) => {
      const found = await listChannels(deps, context);
      const now = deps.now();
      const obstacle = judgeGroups(found, deps.notifier.obstacle);
      const listed = found.map((one) => listedChannel(one, now, obstacle(one)));
      return { status: 200, body: { channels: listed } };
    },
    testIntegration: async ({ context, params }) => {
      const path = { projectId: context.projectId, uuid: params.id.toLowerCase() };
      const result = await testChannel(deps, path);
      return { status: 200, body: { ok: result.ok, error: result.ok ? '' : result.error } };
    },
  };
}
