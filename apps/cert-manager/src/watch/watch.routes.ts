import { fqdnView } from '../fqdns/fqdn-view.js';
import { ok, type SomeHandlers } from '../http/handlers.js';
import { type DescribeWatchDeps, describeWatch } from './describe-watch.service.js';
import { type AcceptExpiryDeps, acceptExpiry } from './expiry/accept-expiry.service.js';

export function watchHandlers(deps: AcceptExpiryDeps & DescribeWatchDeps) {
  return {
    getWatch: async () => ok(describeWatch(deps)),
    setExpiryAccepted: async ({ params, body: { accepted, until }, context }) => {
      const request = { accepted, until: until === undefined ? undefined : new Date(until) };
      return ok(fqdnView(await acceptExpiry(deps, context, { ...params, ...request })));
    },
  } satisfies SomeHandlers;
}
