import { created, ok, type SomeHandlers } from '../http/handlers.js';
import {
  type DeleteFqdnsDeps,
  deleteAllFqdns,
  deleteFqdn,
  deleteSpaceFqdns,
} from './delete-fqdns.service.js';
import { fqdnView } from './fqdn-view.js';
import { countFqdns, createFqdn } from './fqdns.service.js';
import { setRenewalEnabled } from './renewal-switch.service.js';
import { reviewFqdns } from './review-fqdns.service.js';

export function fqdnsHandlers(deps: DeleteFqdnsDeps) {
  return {
    countFqdns: async ({ params, context }) => ok({ count: await countFqdns(deps, context, params.id) }),
    createFqdn: async ({ params, body, context }) => {
      const { fqdn, warning } = await createFqdn(deps, context, { spaceId: params.id, ...body });
      return created(fqdnView(fqdn, warning));
    },
    reviewFqdns: async ({ params, body, context }) =>
      ok(await reviewFqdns(deps, context, { spaceId: params.id, names: body.names })),
    deleteFqdn: async ({ params, context }) => {
      await deleteFqdn(deps, context, { spaceId: params.id, fqdnId: params.fqdnId });
      return ok({ message: 'FQDN deleted' });
    },
    deleteSpaceFqdns: async ({ params, context }) => {
      const deletedCount = await deleteSpaceFqdns(deps, context, params.id);
      return ok({ message: `FQDNs deleted: ${deletedCount}`, deletedCount });
    },
    deleteAllFqdns: async ({ context }) => {
      const deletedCount = await deleteAllFqdns(deps, context);
      return ok({ message: `FQDNs deleted in all spaces: ${deletedCount}`, deletedCount });
    },
    setRenewalEnabled: async ({ params, body, context }) => {
      await setRenewalEnabled(deps, context, { ...params, ...body });
      const state = body.renewalEnabled ? 'enabled' : 'disabled';
      return ok({ message: `automatic renewal ${state}` });
    },
  } satisfies SomeHandlers;
}
