import type { certManagerContract, Handlers } from '@certloop/contracts';
import type { Caller } from '../access/caller.js';
import { spaceView } from './space-view.js';
import { createSpace, deleteSpace, type SpacesDeps } from './spaces.service.js';
import { type SwitchWatchDeps, setWatchEnabled } from './switch-watch.service.js';

type SpaceOperations = 'createSpace' | 'deleteSpace' | 'setWatchEnabled';

export function spacesHandlers(
  deps: SpacesDeps & SwitchWatchDeps,
): Pick<Handlers<typeof certManagerContract, Caller>, SpaceOperations> {
  return {
    createSpace: async ({ body, context }) => ({
      status: 201,
      body: spaceView(await createSpace(deps, context, body)),
    }),
    deleteSpace: async ({ params, query, context }) => {
      await deleteSpace(deps, context, { id: params.id, deleteFqdns: query.deleteFqdns });
      return { status: 200, body: { message: 'space deleted' } };
    },
    setWatchEnabled: async ({ params, body, context }) => {
      await setWatchEnabled(deps, context, { ...params, ...body });
      const state = body.watchEnabled ? 'enabled' : 'disabled';
      return { status: 200, body: { message: `watch ${state}` } };
    },
  };
}
