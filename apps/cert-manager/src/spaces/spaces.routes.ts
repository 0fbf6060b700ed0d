import type { certManagerContract, Handlers } from '@certloop/contracts';
import type { Caller } from '../access/caller.js';
import { eachOf, pageHeaders } from '../http/page-headers.js';
import { ownSpaceView, spaceView } from './space-view.js';
import {
  createSpace,
  deleteSpace,
  getSpace,
  listSpaces,
  type SpacesDeps,
  updateSpace,
} from './spaces.service.js';
import { type SwitchWatchDeps, setWatchEnabled } from './switch-watch.service.js';

type SpaceOperations =
  | 'getSpace'
  | 'updateSpace'
  | 'listSpaces'
  | 'createSpace'
  | 'deleteSpace'
  | 'setWatchEnabled';

export function spacesHandlers(
  deps: SpacesDeps & SwitchWatchDeps,
): Pick<Handlers<typeof certManagerContract, Caller>, SpaceOperations> {
  return {
    listSpaces: async ({ query, context }) => {
      const page = await listSpaces(deps, context, query);
      return {
        status: 200,
        body: eachOf(page.rows, spaceView),
        headers: pageHeaders(page, '/spaces', query),
      };
    },
    createSpace: async ({ body, context }) => ({
      status: 201,
      body: spaceView(await createSpace(deps, context, body)),
    }),
    getSpace: async ({ params, context }) => ({
      status: 200,
      body: ownSpaceView(await getSpace(deps, context, params.id), context),
    }),
    updateSpace: async ({ params, body, context }) => ({
      status: 200,
      body: ownSpaceView(await updateSpace(deps, context, { ...params, ...body }), context),
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
