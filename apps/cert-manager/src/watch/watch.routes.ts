import type { certManagerContract, Handlers } from '@certloop/contracts';
import type { Caller } from '../access/caller.js';
import { fqdnView } from '../fqdns/fqdn-view.js';
import { type DescribeWatchDeps, describeWatch } from './describe-watch.service.js';
import { type AcceptExpiryDeps, acceptExpiry } from './expiry/accept-expiry.service.js';

export function watchHandlers(
  deps: AcceptExpiryDeps & DescribeWatchDeps,
): Pick<Handlers<typeof certManagerContract, Caller>, 'getWatch' | 'setExpiryAccepted'> {
  return {
    getWatch: async () => ({ status: 200, body: describeWatch(deps) }),
    setExpiryAccepted: async ({ params, body: { accepted, until }, context }) => {
      const request = { accepted, until: until === undefined ? undefined : new Date(until) };
      return { status: 200, body: fqdnView(await acceptExpiry(deps, context, { ...params, ...request })) };
    },
  };
}
