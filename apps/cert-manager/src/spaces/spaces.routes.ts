import type { SomeHandlers } from '../http/some-handlers.js';
import { spaceView } from './space-view.js';
import { createSpace, deleteSpace, type SpacesDeps } from './spaces.service.js';
import { type SwitchWatchDeps, setWatchEnabled } from './switch-watch.service.js';

export function spacesHandlers(deps: SpacesDeps & SwitchWatchDeps) {
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
  } satisfies SomeHandlers;
}
