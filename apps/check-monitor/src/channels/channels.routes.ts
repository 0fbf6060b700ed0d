import type { channelsContract, Handlers } from '@certloop/contracts';
import type { Caller } from '../projects/caller.js';
import { listedChannel } from './channel-view.js';
import { type ChannelsDeps, listChannels } from './channels.service.js';

export function channelsHandlers(deps: ChannelsDeps): Handlers<typeof channelsContract, Caller> {
  return {
    listChannels: async ({ context }) => {
      const found = await listChannels(deps, context);
      return { status: 200, body: { channels: found.map(listedChannel) } };
    },
  };
}
