import { created, ok, type SomeHandlers } from '../http/handlers.js';
import { spaceView } from './space-view.js';
import { createSpace, deleteSpace, type SpacesDeps } from './spaces.service.js';
import { type SwitchWatchDeps, setWatchEnabled } from './switch-watch.service.js';

export function spacesHandlers(deps: SpacesDeps & SwitchWatchDeps) {
  return {
    createSpace: async ({ body, context }) => created(spaceView(await createSpace(deps, context, body))),
    deleteSpace: async ({ params, query, context }) => {
      await deleteSpace(deps, context, { id: params.id, deleteFqdns: query.deleteFqdns });
      return ok({ message: 'space deleted' });
    },
    setWatchEnabled: async ({ params, body, context }) => {
      await setWatchEnabled(deps, context, { ...params, ...body });
      const state = body.watchEnabled ? 'enabled' : 'disabled';
      return ok({ message: `watch ${state}` });
    },
  } satisfies SomeHandlers;
}
