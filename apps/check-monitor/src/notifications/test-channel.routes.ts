import type { channelsContract, Handlers } from '@certloop/contracts';
import type { Caller } from '../projects/caller.js';
import { type TestChannelDeps, testChannel } from './test-channel.service.js';

export function channelTestHandlers(deps: TestChannelDeps) {
  return {
    testIntegration: async ({ context, params }) => {
      const path = { projectId: context.projectId, uuid: params.id.toLowerCase() };
      const result = await testChannel(deps, path);
      return { status: 200, body: { ok: result.ok, error: result.ok ? '' : result.error } };
    },
  } satisfies Partial<Handlers<typeof channelsContract, Caller>>;
}
